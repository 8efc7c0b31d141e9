package consolidate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Whatever stands in the lock file, the memory is not changed by recovery, which leads nowhere else; and
// it ends in an error or in a free lock.
func FuzzLockRecord(f *testing.F) {
	for _, s := range []string{
		"", "\x00", "\x00{}\n", "\x00{\"dream\":\"20261118-090000-aaaaaa\",\"kind\":\"dream\",\"pid\":1,\"stage\":\"/etc\"}\n",
		"\x00{\"dream\":\"../../x\",\"committing\":true,\"stage\":\"../../x\"}", "\x00{\"dream\":\"2026", "\x00[[[[", "\x00{\"pid\":1e99}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, record string) {
		w := newWorld(t)
		before := w.files()
		w.put(lockFile, record)
		p := Open(w.options())
		defer p.Close("the test ended")
		err := p.Recover(ctx)
		if got := w.files(); !same(got, before) {
			t.Errorf("%q changed the memory:%s", record, differences(got, before))
		}
		if r, readErr := readLock(mustRoot(t, w.memory)); err == nil && (readErr != nil || r.Dream != "") {
			t.Errorf("%q is recovered, and the lock has %v, %v", record, r, readErr)
		}
	})
}

// A journal with any lines among its own is read: the entries that are whole, each once, and an entry
// appended to it is the last.
func FuzzJournal(f *testing.F) {
	for _, s := range []string{"", "\n", "{", "{}\n{}", "[1]\n", "{\"id\":\"x\",\"outcome\":\"committed\"}\n", strings.Repeat("[", 100), "{\"time\":\"never\",\"id\":\"x\"}\n", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		root := mustRoot(t, t.TempDir())
		if err := os.WriteFile(filepath.Join(root.Name(), journalFile), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := readLog(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := appendLog(root, LogEntry{ID: "the-last"}); err != nil {
			t.Fatal(err)
		}
		after, err := readLog(root)
		if err != nil || len(after) != len(before)+1 || after[len(before)].ID != "the-last" {
			t.Errorf("%q: %d entries, then %d, %v", lines, len(before), len(after), err)
		}
	})
}

// A body of Claude Code's lock names the PID that it begins with, or nobody.
func FuzzNativeBody(f *testing.F) {
	for _, s := range []string{"", "1", "1\n", "1 node", "99999999999999999999", "-1", "0x1", "+1", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		pid := leadingInteger(body)
		if pid < 0 || pid > 9_999_999_999 {
			t.Errorf("%q names %d", body, pid)
		}
		if digits := strings.TrimLeft(body, "0"); pid != 0 && !strings.HasPrefix(digits, strconv.Itoa(pid)) {
			t.Errorf("%q names %d", body, pid)
		}
	})
}

func mustRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}
