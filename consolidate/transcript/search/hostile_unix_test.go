//go:build unix

package search

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// A transcript that is a fifo, a link, a folder or a device is passed over, and nothing waits for it.
func TestHostileFiles(t *testing.T) {
	projects := t.TempDir()
	good := fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", fixture.Talk(1).User("lamp").Text(), 1)
	at := func(n int) string { return filepath.Join(projects, fixture.Slug, fixture.ID(n)+".jsonl") }
	for _, err := range []error{
		syscall.Mkfifo(at(2), 0o600),
		os.Symlink(good, at(3)),
		os.Symlink("/dev/zero", at(4)),
		os.Symlink(at(5), at(5)),
		os.Mkdir(at(6), 0o700),
		os.WriteFile(at(7), []byte(fixture.Talk(7).User("lamp").Text()), 0o000),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := 1
	if os.Getuid() == 0 {
		want = 2 // root reads what nobody may
	}
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	r := search(t, s, Query{Pattern: "lamp"})
	if r.Matches != want || r.Skipped[said.NoSession] != 5 || r.Skipped[said.Unreadable] != 2-want {
		t.Errorf("%+v", r)
	}
}
