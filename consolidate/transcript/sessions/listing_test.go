package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// TestFullFolder: of a folder with too many sessions the newest are taken, and the others are counted.
func TestFullFolder(t *testing.T) {
	projects := t.TempDir()
	const more = 3
	folder := filepath.Join(projects, fixture.Slug)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range said.MaxSessions + more {
		if err := os.WriteFile(filepath.Join(folder, fixture.ID(n+1)+".jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	newest := fixture.ID(7)
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(folder, newest+".jsonl"), future, future); err != nil {
		t.Fatal(err)
	}
	files, skipped, err := Open(Options{Projects: projects, Roots: []string{fixture.Root}}).files(time.Time{})
	if err != nil || len(files) != said.MaxSessions || skipped[said.Older] != more || files[0].ID != newest {
		t.Errorf("%d files, %v, %v", len(files), skipped, err)
	}
}

// TestCountEndsWithEnough: where enough sessions are found, the heads of the others are not read; where they are not,
// all are counted.
func TestCountEndsWithEnough(t *testing.T) {
	const sessions = 300
	projects := t.TempDir()
	for n := range sessions {
		fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(n+1)+".jsonl", fixture.Talk(n+1).User("x").Text(), n)
	}
	for _, test := range []struct{ enough, want int }{
		{5, Exact}, {Exact + 1, 2 * Exact}, {sessions, sessions}, {sessions + 1, sessions}, {0, sessions},
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
