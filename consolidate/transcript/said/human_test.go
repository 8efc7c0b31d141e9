package said

import (
	"strings"
	"testing"

	"dream-mcp/testdata/fixture"
)

// TestForms: no text of the table is an utterance, in any place, and what is written about it is one.
func TestForms(t *testing.T) {
	samples := map[string]string{ // with more of the form than its beginning
		"<cross-session-message":                        "<cross-session-message from=\"ab12\">always push to main</cross-session-message>\nI agree",
		"<teammate-message":                             "<teammate-message teammate_id=\"lead\">always push to main</teammate-message>",
		"Context: This summary will be shown in a list": "Context: This summary will be shown in a list of sessions. Keep it short.\n\nthe talk",
		"Implement the following plan:\n\n#":            "Implement the following plan:\n\n# Plan\n1. always push to main",
		`{"task_id"`:                                    "{\n  \"task_id\": \"b1\",\n  \"status\": \"completed\"\n}",
		"Unknown skill: ":                               "Unknown skill: reveiw",
		"Unknown command: ":                             "Unknown command: /reveiw",
		"API Error:":                                    "API Error: 529 {\"type\":\"error\"}",
		"API Error (":                                   "API Error (Request timed out.) · Retrying in 1 seconds… (attempt 1/10)",
		"<bash-input>":                                  "<bash-input>git push --force</bash-input>",
		"[Request interrupted by user]":                 "[Request interrupted by user]",
		"<command-name>":                                "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>large</command-args>",
		"<command-message>":                             "<command-message>compact</command-message>\n<command-name>/compact</command-name>",
		"[Request interrupted by user for tool use]":    "[Request interrupted by user for tool use]",
	}
	for _, form := range forms {
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

func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		" \t\n\u00a0\u3000\u200b\ufeff\u3164\u2800\ufe0f ": "",
		"/compact":                                     "",
		"/compact keep the plan":                       "/compact keep the plan",
		"/model large":                                 "",
		"/config is generated, leave it":               "/config is generated, leave it",
		"/deploy":                                      "/deploy",
		"/plugin:review the parser":                    "/plugin:review the parser",
		"/tmp is full, clean it":                       "/tmp is full, clean it",
		"/etc/hosts is wrong":                          "/etc/hosts is wrong",
		"/ is full":                                    "/ is full",
		"/dream:dream":                                 "",
		"/mcp__memory__dream":                          "",
		"Unknown skill: reveiw":                        "",
		"Unknown skill: why is it unknown?":            "why is it unknown?",
		"Unknown command: /indx. Did you mean /index?": "",
		"Implement the following plan: tests first":    "Implement the following plan: tests first",
		"Fix the following issues: the login fails":    "Fix the following issues: the login fails",
		"[Request interrupted by user] use tabs":       "use tabs",
		"<command-name>/review</command-name>\n<command-args>the parser</command-args>":                                   "/review the parser",
		"<command-name>/review</command-name>\n<command-args>the <command-name> tag</command-args>":                       "/review the <command-name> tag",
		"<command-message>deploy</command-message>\n<command-name>/deploy</command-name>":                                 "/deploy",
		"<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>a</command-args>": "/deploy a",
		"<command-name>/rename</command-name>\n<command-args>a long name of a session</command-args>":                     "",
		"<command-name></command-name>": "",
		"run the tests\n<cross-session-message from=\"a\">push</cross-session-message>\nyes": "run the tests",
	} {
		if got, _ := typedText(text, false); got != want {
			t.Errorf("%q: typed %q, want %q", text, got, want)
		}
	}
}

// What the host marks as a person's was said however it begins; what it marks as another program's was not.
func TestMarkedPrompts(t *testing.T) {
	const text = "Stop hook feedback: I never want to see that again"
	human := fixture.Fields{"promptSource": "typed", "origin": fixture.Fields{"kind": "human"}}
	for _, c := range []struct {
		text  string
		extra fixture.Fields
		want  []string
	}{
		{text, nil, nil},
		{text, human, []string{"1 user: " + text}},
		{text, fixture.Fields{"promptSource": "typed"}, []string{"1 user: " + text}},
		{"[Request interrupted by user] is all I see", human, []string{"1 user: [Request interrupted by user] is all I see"}},
		{"<task-notification>done</task-notification>", human, nil},
		{"use tabs", fixture.Fields{"origin": fixture.Fields{"kind": "peer"}}, nil},
		{"use tabs", fixture.Fields{"promptSource": "system"}, nil},
		{"use tabs", fixture.Fields{"promptSource": "suggestion_accepted"}, []string{"1 user: use tabs"}},
		{"use tabs", fixture.Fields{"promptSource": "queued", "origin": fixture.Fields{"kind": "human"}}, []string{"1 user: use tabs"}},
	} {
		if c.extra == nil {
			c.extra = fixture.Fields{}
		}
		fixture.Equal(t, c.text, said(t, fixture.Talk(1).UserWith(c.text, c.extra).Text()), c.want)
	}
	for kind, want := range map[string][]string{"human": {"1 user: go", "2 user: use tabs"}, "peer": {"1 user: go"}} {
		f := fixture.Talk(1).User("go").Attach(fixture.Fields{"type": "queued_command", "commandMode": "prompt", "prompt": "use tabs", "origin": fixture.Fields{"kind": kind}})
		fixture.Equal(t, kind, said(t, f.Text()), want)
	}
}

// What a person typed is recorded beside a tool's result too, and by the host as its own.
func TestTypedElsewhere(t *testing.T) {
	f := fixture.Talk(1).User("go").Says("m", fixture.Use("t1", "Write", nil)).
		User([]any{fixture.Result("t1", "File created"), fixture.Words("never write passwords")}).
		Add("system", fixture.Fields{"subtype": "local_command", "content": "<command-name>/subtask</command-name>\n<command-args>try the new board</command-args>"}).
		Add("system", fixture.Fields{"subtype": "local_command", "content": "<local-command-stdout>done</local-command-stdout>"}).
		Add("system", fixture.Fields{"subtype": "informational", "content": "Unknown command: /reveiw"}).
		Add("system", fixture.Fields{"subtype": "informational", "content": "Args from unknown skill: look at the parser"}).
		User("Unknown skill: deploy").
		Add("system", fixture.Fields{"subtype": "informational", "content": "Args from unknown skill: to the pier"}).
		Add("system", fixture.Fields{"subtype": "informational", "content": "Args from unknown skill: whose name is not known"}).
		User("Unknown command: /plug-in:indx. Did you mean /plug-in:index?").
		Add("system", fixture.Fields{"subtype": "informational", "content": "Args from unknown skill: the docs and the site"}).
		Add("system", fixture.Fields{"subtype": "away_summary", "content": "Goal: a parser. Next: your choice."})
	fixture.Equal(t, "said", said(t, f.Text()), []string{
		"1 user: go", "2 tool: Write", "3 tool: File created", "3 user: never write passwords", "4 user: /subtask try the new board", "7 user: /reveiw look at the parser",
		"9 user: /deploy to the pier", "10 user: whose name is not known", "12 user: /plug-in:indx the docs and the site",
	})
}

// The words of a plan that the host carries out are the model's, though the person agreed to it.
func TestPlansAreTheModels(t *testing.T) {
	f := fixture.Talk(1).User("make a plan").UserWith("Here is the plan we made:\n1. mirror the lens",
		fixture.Fields{"planContent": "1. mirror the lens"}).User("and hurry")
	fixture.Equal(t, "said", said(t, f.Text()), []string{"1 user: make a plan", "3 user: and hurry"})
	odd := strings.Replace(f.Lines[1], "{", `{"Slug":"x",`, 1) // read by encoding/json
	fixture.Equal(t, "said", said(t, odd+"\n"), nil)
}

// A session that is resumed may be written again into its own file, all at one time. What a person says twice stays.
func TestWrittenAgain(t *testing.T) {
	f := fixture.Talk(1).User("trim the wick").Reply("done").User("and the horn?")
	again := fixture.Fields{"timestamp": "2026-11-02T10:00:00Z", "uuid": "x"}
	f.UserWith("where was I", again).UserWith("trim the wick", again).UserWith("and the horn?", again).User("trim the wick")
	fixture.Equal(t, "said", said(t, f.Text()), []string{
		"1 user: trim the wick", "2 assistant: done", "3 user: and the horn?", "4 user: where was I", "7 user: trim the wick",
	})
}

// What one host writes in a person's place is not typed there, and may be typed elsewhere. What opens a dream is typed.
func TestTypedIn(t *testing.T) {
	strip := func(text string) string { return strings.TrimPrefix(text, "> ") }
	for _, test := range []struct {
		text     string
		notTyped []string
		want     string
	}{
		{"\n[SYSTEM and more", []string{"[OTHER", "[SYSTEM"}, ""},
		{"> [SYSTEM and more", []string{"[SYSTEM"}, ""},
		{"> [SYSTEM and more", nil, "[SYSTEM and more"},
		{"not [SYSTEM", []string{"[SYSTEM"}, "not [SYSTEM"},
		{"> [SYSTEM " + DreamMarker, []string{"[SYSTEM"}, "> [SYSTEM " + DreamMarker},
	} {
		if got := TypedIn(test.text, test.notTyped, strip); got != test.want {
			t.Errorf("%q without %q: %q", test.text, test.notTyped, got)
		}
	}
}
