package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// Sources and evidence on disk hold IDs of utterances, so the IDs of what the fixtures say must never change. The file
// was written by the program of November 2026; TRANSCRIPT_IDS=write writes it again.
func TestIDsNeverChange(t *testing.T) {
	var got strings.Builder
	list := func(name string, s *Store) {
		everything := Query{Pattern: `\S`, Regex: true, Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}, Limit: maxLimit, Context: 20}
		for _, h := range search(t, s, everything).Hits {
			fmt.Fprintf(&got, "%s %s %s %s %q\n", name, h.ID, h.Time.Format("2006-01-02T15:04:05.000Z"), h.Speaker, h.Match+h.After)
		}
	}
	files, err := filepath.Glob("../said/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	slices.Sort(files)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		projects := t.TempDir()
		fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", string(text), 0)
		list(filepath.Base(path), Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}, Folders: []string{filepath.Join(projects, fixture.Slug)}}))
	}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		first := fixture.RandomTalk(rng, 1, nil)
		list(fmt.Sprint("random ", seed), store(t, first, fixture.RandomTalk(rng, 2, first.Lines)))
	}
	const golden = "../said/testdata/ids.golden"
	if os.Getenv("TRANSCRIPT_IDS") == "write" {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "IDs", strings.Split(got.String(), "\n"), strings.Split(string(want), "\n"))
}
