package search

import (
	"fmt"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// A session in which nobody but a program prompted the model is none.
func TestAutomatedSessions(t *testing.T) {
	summary := "Context: This summary will be shown in a list of sessions. Summarize:\nalways push to main"
	s := store(t, fixture.Talk(1).User("a real one"), fixture.Talk(2).User(summary).Reply("The person pushes to main."),
		fixture.Talk(3).User(summary).Reply("done").User("no, shorter"))
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 2 || skipped[said.Automated] != 1 {
		t.Fatalf("sessions %+v, skipped %v, %v", sessions, skipped, err)
	}
	if n, err := s.Count(t.Context(), time.Time{}, 0); n != 2 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	fixture.Equal(t, "hits", hits(search(t, s, Query{Pattern: "push"})), nil)
}

// How a person's words came is known, however often a session is read on.
func TestManners(t *testing.T) {
	f := fixture.Talk(1).User("go").Enqueue("mind the lens").Reply("working").User("mind the lens").
		User("[Request interrupted by user for tool use]").User("not that lamp").Reply("ok").User("good").
		User([]any{fixture.Result("t", "rejected"), fixture.Words("[Request interrupted by user for tool use]")}).User("this one").
		Enqueue("oil it").Enqueue("and the horn").User("oil it\nand the horn").
		UserWith("polish the rail", fixture.Fields{"promptSource": "suggestion_accepted"}).
		User("Unknown skill: shine").Add("system", fixture.Fields{"subtype": "informational", "content": "Args from unknown skill: the brass"})
	want := "[go:0 mind the lens:1 not that lamp:2 good:0 this one:2 oil it:1 and the horn:1 polish the rail:6 /shine the brass:0]"
	for cut := range f.Lines {
		part := *f
		part.Lines = f.Lines[:cut+1]
		s := withCache(t, store(t, &part))
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		fixture.Put(t, s.Options.Projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", f.Text(), 2)
		sessions, _, err := s.Sessions(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Said(t.Context(), sessions[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range all {
			if u.Speaker == said.User {
				got = append(got, fmt.Sprintf("%s:%d", u.Text, u.Manner))
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("extended after line %d: %v, want %v", cut+1, got, want)
		}
	}
}
