package ops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A journal with any lines among its own is read: the entries that are whole, each once, and an entry
// appended to it is the last.
func FuzzJournal(f *testing.F) {
	for _, s := range []string{"", "\n", "{", "{}\n{}", "[1]\n", "{\"id\":\"x\",\"outcome\":\"committed\"}\n", strings.Repeat("[", 100), "{\"time\":\"never\",\"id\":\"x\"}\n", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		s := Open(Options{MemoryDir: t.TempDir(), StateHome: t.TempDir(), Now: time.Now})
		defer s.Records.Close()
		root, err := s.Records.Root()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.Records.StateDir(), LogFile), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := readLog(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Records.Append(LogEntry{Header: Header{ID: "the-last"}}); err != nil {
			t.Fatal(err)
		}
		after, err := readLog(root)
		if err != nil || len(after) != len(before)+1 || after[len(before)].ID != "the-last" {
			t.Errorf("%q: %d entries, then %d, %v", lines, len(before), len(after), err)
		}
	})
}
