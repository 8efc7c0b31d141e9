package said

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
)

// TestNotSaid: no text of the table is an utterance, in any place, and what is written about it is one.
func TestNotSaid(t *testing.T) {
	samples := map[string]string{ // with more of the form than its beginning
		"<cross-session-message":                        "<cross-session-message from=\"ab12\">always push to main</cross-session-message>\nI agree",
		"<teammate-message":                             "<teammate-message teammate_id=\"lead\">always push to main</teammate-message>",
		"Context: This summary will be shown in a list": "Context: This summary will be shown in a list of sessions. Keep it short.\n\nthe talk",
		"Implement the following plan:":                 "Implement the following plan:\n\n# Plan\n1. always push to main",
		`{"task_id"`:                                    "{\n  \"task_id\": \"b1\",\n  \"status\": \"completed\"\n}",
		"Unknown skill:":                                "Unknown skill: reveiw",
		"Fix the following issues":                      "Fix the following issues:\n- lint.go:3 unused",
		"API Error:":                                    "API Error: 529 {\"type\":\"error\"}",
		"API Error (":                                   "API Error (Request timed out.) · Retrying in 1 seconds… (attempt 1/10)",
		"<bash-input>":                                  "<bash-input>git push --force</bash-input>",
		"[Request interrupted by user":                  "[Request interrupted by user for tool use]",
	}
	for _, form := range notSaid[""] {
		text := samples[form.text]
		if text == "" {
			text = form.text + " and more"
		}
		delete(samples, form.text)
		about := "what does " + text + " mean?"
		if form.event == otherAgent {
			about = "what does " + form.text + " mean?"
		}
		t.Run(form.text, func(t *testing.T) {
			if form.speaker == Assistant {
				fixture.Equal(t, "the model", said(t, fixture.Talk(1).User("go").Reply(text).Reply(about).Text()), []string{"1 user: go", "3 assistant: " + about})
				return
			}
			for _, text := range []string{text, " \n" + text, "<system-reminder>x</system-reminder>\n" + text} {
				fixture.Equal(t, "the first prompt", said(t, fixture.Talk(1).User(text).Reply("done").Text()), []string{"2 assistant: done"})
				fixture.Equal(t, "a turn", said(t, fixture.Talk(1).User("go").User([]any{fixture.Words(text)}).Text()), []string{"1 user: go"})
				fixture.Equal(t, "the queue", said(t, fixture.Talk(1).User("go").Enqueue(text).Text()), []string{"1 user: go"})
				fixture.Equal(t, "an attachment", said(t, fixture.Talk(1).User("go").
					Attach(fixture.Fields{"type": "queued_command", "commandMode": "prompt", "prompt": text}).Text()), []string{"1 user: go"})
			}
			fixture.Equal(t, "about it", said(t, fixture.Talk(1).User(about).Text()), []string{"1 user: " + about})
		})
	}
	for begins := range samples {
		t.Errorf("%q is not in the table any more", begins)
	}
}

// What one host injects is not typed there, and may be typed elsewhere.
func TestNotSaidTo(t *testing.T) {
	kept := func(text string) string { return text }
	for _, host := range []Host{Codex, Gemini, OpenClaw} {
		for _, form := range notSaid[host] {
			text := "\n" + form.text + " and more"
			if got := typedIn(host, text, kept); got != "" {
				t.Errorf("%s: typed %q", host, got)
			}
			if got := typedIn(ClaudeCode, text, kept); got != text {
				t.Errorf("typed %q of %q", got, text)
			}
		}
	}
}

func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		" \t\n\u00a0\u3000\u200b\ufeff\u3164\u2800\ufe0f ": "",
		"/compact":                  "",
		"/plugin:review the parser": "the parser",
		"/etc/hosts is wrong":       "/etc/hosts is wrong",
		"/ is full":                 "/ is full",
		"<command-name>/review</command-name>\n<command-args>the parser</command-args>":      "the parser",
		"run the tests\n<cross-session-message from=\"a\">push</cross-session-message>\nyes": "run the tests",
	} {
		if got, _ := typedText(text); got != want {
			t.Errorf("%q: typed %q, want %q", text, got, want)
		}
	}
}

// A person who rejects the use of a tool may type why. A tool cannot type that for them.
func TestRejections(t *testing.T) {
	const begins = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	const note = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."
	rejected := fixture.Fields{"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected"}
	for result, want := range map[string]string{
		begins + "To tell you how to proceed, the user said:\nuse pnpm\n\nalways" + note:                    "3.2 user: use pnpm\n\nalways",
		begins + "The user provided the following reason for the rejection:  hold on":                       "3.2 user: hold on",
		begins + "STOP what you are doing and wait for the user to tell you how to proceed." + note:         "",
		begins + "To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n": "",
		"Exit code 1\nTo tell you how to proceed, the user said:\npush":                                     "",
	} {
		for _, extra := range []fixture.Fields{rejected, {"toolUseResult": "Error: " + result}, {"toolDenialKind": "permission-rule"}} {
			content := []any{fixture.Result("t1", result)}
			f := fixture.Talk(1).User("go").Says("m", fixture.Use("t1", "Bash", nil)).UserWith(content, extra).Reply("done")
			got, want := "", want
			all, _ := utterances(t, f.Text())
			for _, u := range all {
				if u.Line == 3 && u.Speaker == User {
					got = fmt.Sprintf("%d.%d user: %s", u.Line, u.Place, u.Text)
				}
			}
			if extra["toolDenialKind"] != "user-rejected" {
				want = ""
			}
			if got != want {
				t.Errorf("%q with %v: %q, want %q", result, extra, got, want)
			}
		}
	}
}

// The words of a plan that the host carries out are the model's, though the person agreed to it.
func TestPlansAreTheModels(t *testing.T) {
	f := fixture.Talk(1).User("make a plan").UserWith("Here is the plan we made:\n1. mirror the lens",
		fixture.Fields{"planContent": "1. mirror the lens"}).User("and hurry")
	fixture.Equal(t, "said", said(t, f.Text()), []string{"1 user: make a plan", "3 user: and hurry"})
	odd := strings.Replace(f.Lines[1], "{", `{"Slug":"x",`, 1) // read by encoding/json
	fixture.Equal(t, "said", said(t, odd+"\n"), nil)
}
