package search

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// store opens the project whose folder holds these transcripts, the first the oldest.
func store(t testing.TB, fixtures ...*fixture.Transcript) *Store {
	t.Helper()
	projects := t.TempDir()
	for i, f := range fixtures {
		fixture.Put(t, projects, fixture.Slug+"/"+f.Session+".jsonl", f.Text(), i+1)
	}
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	t.Cleanup(s.Close)
	return s
}

// openWith opens a project with a database at a path, or in memory.
func openWith(o sessions.Options, path string) *Store {
	s := Open(o)
	s.Cache = path
	return s
}

// withCache is a store of the same project with a database of its own.
func withCache(t testing.TB, s *Store) *Store {
	t.Helper()
	with := openWith(s.Options, filepath.Join(t.TempDir(), "state", cache.FileName))
	t.Cleanup(with.Close)
	return with
}

// linesOf returns what a transcript says, each as "line speaker: text".
func linesOf(t testing.TB, text string) (lines []string) {
	t.Helper()
	var all []*said.Entry
	r := said.NewReader(said.File{ID: fixture.ID(1)}, said.NewLineReader(strings.NewReader(text), said.ReadBlock), func(u *said.Entry) error {
		all = append(all, u)
		return nil
	})
	r.Tools = func([]byte) bool { return true }
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *said.Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
	for _, u := range all {
		lines = append(lines, fmt.Sprintf("%d %s: %s", u.Line, u.Speaker, u.Text))
	}
	return lines
}

func search(t testing.TB, s *Store, q Query) Result {
	t.Helper()
	result, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	return result
}

// hits returns the whole text around each match, newest first.
func hits(r Result) (texts []string) {
	for _, h := range r.Hits {
		texts = append(texts, h.Before+h.Match+h.After)
	}
	return texts
}
