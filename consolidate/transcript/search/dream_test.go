package search

import (
	"os"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// What a filter passes over must not change what is a dream, or whose words the results are.
func TestDreamsAreNotFound(t *testing.T) {
	s := store(t,
		fixture.Talk(1).User("go").User(fixture.Prompt).Reply("a lantern dreamt").Says("m",
			fixture.Use("t0", "Bash", fixture.Fields{"command": "lantern"})).User("done").Reply("a lantern seen"),
		fixture.Talk(2).User("go").Says("m", fixture.Use("t1", "x__read_memory", fixture.Fields{"path": "a.md"})).User([]any{fixture.Result("t1", "a lantern remembered")}).
			User([]any{fixture.Result("t9", "a lantern read")}),
		fixture.Talk(3).Raw(`{"type":"user","cwd":"`+fixture.Root+`","message":{"content":"\u003cdream-mcp-prompt>"}}`).Reply("a lantern dreamt").User("done"))
	r := search(t, s, Query{Pattern: "lantern", Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}})
	fixture.Equal(t, "hits", hits(r), []string{"a lantern seen", "a lantern read"})
	for _, hit := range r.Hits {
		if u, err := s.Lookup(t.Context(), hit.ID); err != nil || u.Text != hit.Before+hit.Match+hit.After {
			t.Errorf("Lookup(%q) = %q, %v", hit.ID, u.Text, err)
		}
	}
	for _, id := range []string{said.ShortID(fixture.ID(1)) + ":3", said.ShortID(fixture.ID(1)) + ":4", said.ShortID(fixture.ID(2)) + ":3"} {
		if u, err := s.Lookup(t.Context(), id); err == nil {
			t.Errorf("Lookup(%q) = %q: it was dreamt", id, u.Text)
		}
	}
}

// Which parts of a message are joined, and so its text and its time, depends on what of it was said in a dream, though
// nothing there matches.
func TestDreamsWithinMessages(t *testing.T) {
	mark := said.DreamMarker + ">"
	ends := fixture.Talk(1).User("begin").Says("m1", fixture.Words("a lamp")).User(mark).Says("m1", fixture.Words("dreamed")).User("awake")
	begins := fixture.Talk(2).User("begin").User(mark).Says("m1", fixture.Words("dreamed")).Enqueue("awake").Says("m1", fixture.Words("the lens"))
	spans := fixture.Talk(3).User("begin").Says("m1", fixture.Words("a door")).User(mark).Says("m2",
		fixture.Words("dreamed")).Enqueue("awake").Says("m1", fixture.Words("a window"))
	s := store(t, ends, begins, spans)
	for _, test := range []struct {
		q    Query
		want string
	}{
		{Query{Pattern: `lamp\z`, Regex: true}, "a lamp"},
		{Query{Pattern: `\Athe lens`, Regex: true}, "the lens"},
		{Query{Pattern: "lens", Since: fixture.Start.Add(3 * time.Second)}, "the lens"},
		{Query{Pattern: `(?s)door.*window`, Regex: true}, "a door\n\na window"},
		{Query{Pattern: "window", Until: fixture.Start.Add(3 * time.Second)}, "a door\n\na window"},
	} {
		r := search(t, s, test.q)
		fixture.Equal(t, test.q.Pattern, hits(r), []string{test.want})
		for _, h := range r.Hits {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || u.Text != test.want {
				t.Errorf("Lookup(%q) = %q, %v; want %q", h.ID, u.Text, err, test.want)
			}
		}
	}
}

// Transcripts in the forms that hosts have written; said/testdata/README.md says what is in them.
func TestWrittenTranscripts(t *testing.T) {
	projects := t.TempDir()
	for n, name := range []string{"working.jsonl", "dream.jsonl", "odd.jsonl"} {
		text, err := os.ReadFile("../said/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(n+1)+".jsonl", string(text), n+1)
	}
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 2 || skipped[said.Dream] != 1 {
		t.Fatalf("sessions %+v, skipped %v, %v", sessions, skipped, err)
	}
	if got := sessions[0]; got.First != "the lamp room leaks, please find out why" || got.Branch != "main" {
		t.Errorf("session %+v", got)
	}
	r := search(t, s, Query{Pattern: "gasket"})
	fixture.Equal(t, "gasket", hits(r), []string{
		"no, never caulk it: we always replace the gasket",
		"The gasket of the lantern gallery is worn.",
	})
	r = search(t, s, Query{Pattern: "odd", Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}})
	fixture.Equal(t, "odd", hits(r), []string{"odd, typed at last", "odd, amid rubbish", "odd two", "odd one"})
	if r.Skipped[said.BadLine] != 1 {
		t.Errorf("skipped %v", r.Skipped)
	}
}
