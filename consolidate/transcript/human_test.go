package transcript

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestNotSaid: no text of the table is an utterance, wherever it stands, and what is written about it is one.
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
	for _, form := range notSaid {
		text := samples[form.begins]
		if text == "" {
			text = form.begins + " and more"
		}
		delete(samples, form.begins)
		about := "what does " + text + " mean?"
		if form.event == otherAgent {
			about = "what does " + form.begins + " mean?"
		}
		t.Run(form.begins, func(t *testing.T) {
			if form.speaker == Assistant {
				equal(t, "the model", said(t, talk(1).user("go").reply(text).reply(about).text()), []string{"1 user: go", "3 assistant: " + about})
				return
			}
			for _, text := range []string{text, " \n" + text, "<system-reminder>x</system-reminder>\n" + text} {
				equal(t, "the first prompt", said(t, talk(1).user(text).reply("done").text()), []string{"2 assistant: done"})
				equal(t, "a turn", said(t, talk(1).user("go").user([]any{words(text)}).text()), []string{"1 user: go"})
				equal(t, "the queue", said(t, talk(1).user("go").enqueue(text).text()), []string{"1 user: go"})
				equal(t, "an attachment", said(t, talk(1).user("go").
					attach(fields{"type": "queued_command", "commandMode": "prompt", "prompt": text}).text()), []string{"1 user: go"})
			}
			equal(t, "about it", said(t, talk(1).user(about).text()), []string{"1 user: " + about})
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

// The words of a plan that the host carries out are the model's, though the person agreed to it.
func TestPlansAreTheModels(t *testing.T) {
	f := talk(1).user("make a plan").userWith("Here is the plan we made:\n1. mirror the lens", fields{"planContent": "1. mirror the lens"}).user("and hurry")
	equal(t, "said", said(t, f.text()), []string{"1 user: make a plan", "3 user: and hurry"})
	odd := strings.Replace(f.lines[1], "{", `{"Slug":"x",`, 1) // read by encoding/json
	equal(t, "said", said(t, odd+"\n"), nil)
}

// A session in which nobody but a program prompted the model is none.
func TestAutomatedSessions(t *testing.T) {
	summary := "Context: This summary will be shown in a list of sessions. Summarize:\nalways push to main"
	s := store(t, talk(1).user("a real one"), talk(2).user(summary).reply("The person pushes to main."), talk(3).user(summary).reply("done").user("no, shorter"))
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 2 || skipped[Automated] != 1 {
		t.Fatalf("sessions %+v, skipped %v, %v", sessions, skipped, err)
	}
	if n, err := s.Count(t.Context(), time.Time{}, 0); n != 2 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	equal(t, "hits", hits(search(t, s, Query{Pattern: "push"})), nil)
}

// Digests know how a person's words came, however often they are extended.
func TestManners(t *testing.T) {
	f := talk(1).user("go").enqueue("mind the lens").reply("working").user("mind the lens").
		user("[Request interrupted by user for tool use]").user("not that lamp").reply("ok").user("good").
		user([]any{result("t", "rejected"), words("[Request interrupted by user for tool use]")}).user("this one")
	want := "[go:0 mind the lens:1 not that lamp:2 good:0 this one:2]"
	for cut := range f.lines {
		part := *f
		part.lines = f.lines[:cut+1]
		s := withDigests(t, store(t, &part))
		if _, err := s.Digest(t.Context()); err != nil {
			t.Fatal(err)
		}
		put(t, s.options.Projects, slug+"/"+id(1)+".jsonl", f.text(), 2)
		again := Open(s.options)
		sessions, _, err := again.accepted(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := again.digests().fresh(t.Context(), again.making(), sessions[0].file, new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range d.rows {
			if d.rows[i].user {
				got = append(got, fmt.Sprintf("%s:%d", d.said(i), d.rows[i].manner))
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("extended after line %d: %v, want %v", cut+1, got, want)
		}
	}
}
