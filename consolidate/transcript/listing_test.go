package transcript

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What keepNewest leaves has the times of the first so many when all are sorted.
func TestKeepNewest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		files := make([]file, random.IntN(40))
		for i := range files {
			files[i] = file{id: fmt.Sprint(i), modTime: time.Unix(0, int64(random.IntN(12)))}
		}
		most := 1 + random.IntN(30)
		want := newest(slices.Clone(files))
		want = want[:min(most, len(want))]
		got := newest(keepNewest(slices.Clone(files), most))
		if !slices.EqualFunc(got, want, func(a, b file) bool { return a.modTime.Equal(b.modTime) }) {
			t.Fatalf("%d of %d: %d are left, and not the newest", most, len(files), len(got))
		}
	}
}

// A folder of more entries than are held at a time is listed whole.
func TestListPieces(t *testing.T) {
	folder := t.TempDir()
	const files = listPiece + 100
	for i := range files {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%08d-0000-4000-8000-000000000000.jsonl", i)))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	skipped := Skipped{}
	listed := Folder{Path: folder, trust: bySlug}.list(nil, time.Time{}, -1, skipped, nil)
	seen := map[string]bool{}
	for _, f := range listed {
		if f.path != filepath.Join(folder, f.id+".jsonl") {
			t.Fatalf("%q is at %q", f.id, f.path)
		}
		seen[f.id] = true
	}
	if len(listed) != files || len(seen) != files || len(skipped) != 0 {
		t.Errorf("listed %d, %d of them different, of %d: %v", len(listed), len(seen), files, skipped)
	}
}

// TestCountEndsWithEnough: where enough sessions are found, the rest of a full folder is neither asked
// about nor read; where they are not, all are counted.
func TestCountEndsWithEnough(t *testing.T) {
	const sessions = countPiece + 100
	projects := t.TempDir()
	for n := range sessions {
		put(t, projects, slug+"/"+id(n+1)+".jsonl", talk(n+1).user("x").text(), n)
	}
	for _, test := range []struct{ enough, want, read int }{
		{5, freeHeads, freeHeads}, {freeHeads + 1, freeHeads + 1, freeHeads + 1}, {sessions, sessions, sessions}, {sessions + 1, sessions, sessions}, {0, sessions, sessions},
	} {
		s := Open(Options{Projects: projects, Roots: []string{root}})
		n, err := s.Count(t.Context(), time.Time{}, test.enough)
		if n != test.want || err != nil || len(s.heads) != test.read {
			t.Errorf("enough are %d: %d sessions, %d heads, %v; want %d and %d", test.enough, n, len(s.heads), err, test.want, test.read)
		}
	}
	s := Open(Options{Projects: projects, Roots: []string{root}})
	since := start.Add((sessions - 11) * time.Hour) // ten are younger, wherever they lie
	if n, err := s.Count(t.Context(), since, 10); n != 10 || err != nil || len(s.heads) != 10 {
		t.Errorf("%d sessions, %d heads, %v", n, len(s.heads), err)
	}
}
