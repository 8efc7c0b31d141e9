package sessions

import (
	"os"
	"path/filepath"
	"testing"
)

// PathOf finds a session's transcript, and nothing through a link.
func TestPathOf(t *testing.T) {
	dir := t.TempDir()
	s := Open(Options{Folders: []string{dir}})
	if err := os.WriteFile(filepath.Join(dir, "s1.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s.PathOf("s1") == "" || s.PathOf("s2") != "" || s.PathOf("../s1") != "" {
		t.Error("s1 is there, s2 and what is elsewhere is not")
	}
	if err := os.Symlink(filepath.Join(dir, "away"), filepath.Join(dir, "s2.jsonl")); err != nil {
		t.Skip("NOT TESTED: links cannot be made here:", err)
	}
	if got := s.PathOf("s2"); got != "" {
		t.Errorf("a link is a transcript: %s", got)
	}
}
