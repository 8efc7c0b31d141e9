package sessions

import (
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/bench/fixture"
)

// TestCountEndsWithEnough: where enough sessions are found, the heads of the others are not read; where they are not, all
// are counted.
func TestCountEndsWithEnough(t *testing.T) {
	const sessions = 300
	projects := t.TempDir()
	for n := range sessions {
		fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(n+1)+".jsonl", fixture.Talk(n+1).User("x").Text(), n)
	}
	for _, test := range []struct{ enough, want int }{
		{5, exact}, {exact + 1, 2 * exact}, {sessions, sessions}, {sessions + 1, sessions}, {0, sessions},
	} {
		s := Open(Options{Projects: projects, Roots: []string{fixture.Root}})
		n, err := s.Count(t.Context(), time.Time{}, test.enough)
		if n != test.want || err != nil || len(s.heads) != n {
			t.Errorf("enough are %d: %d sessions, %d heads, %v; want %d", test.enough, n, len(s.heads), err, test.want)
		}
	}
	s := Open(Options{Projects: projects, Roots: []string{fixture.Root}})
	since := fixture.Start.Add((sessions - 11) * time.Hour) // ten are younger, wherever they lie
	if n, err := s.Count(t.Context(), since, 10); n != 10 || err != nil || len(s.heads) != 10 {
		t.Errorf("%d sessions, %d heads, %v", n, len(s.heads), err)
	}
}
