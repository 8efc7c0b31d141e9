package consolidate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
)

// breakJournal makes every write of the journal fail until the function it returns is called.
func breakJournal(t *testing.T, p *Project) (repair func()) {
	t.Helper()
	journal := filepath.Join(p.StateDir(), store.JournalFile)
	if err := os.MkdirAll(p.StateDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	err := os.Rename(journal, journal+".whole")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Mkdir(journal, 0o700); err != nil {
		t.Fatal(err)
	}
	return func() {
		os.Remove(journal)
		os.Rename(journal+".whole", journal)
	}
}

// A dream whose beginning can't be journaled is none: the lock's lock.Stamp is given back.
func TestBeginWithoutAJournal(t *testing.T) {
	w := newWorldFor(t, "commit")
	was := w.hostStamp()
	p := w.open()
	breakJournal(t, p)
	if err := p.Begin(ctx, true, false); err == nil || p.dream != nil {
		t.Errorf("begun with %v, a dream open: %v", err, p.dream != nil)
	}
	if got := w.hostStamp(); got != was {
		t.Errorf("%s is %s, was %s", lock.HostFile, got, was)
	}
}

// What has landed and cannot be journaled is reported as half done, never as failed. Recovery writes what is
// missing, so that diff and undo know it.
func TestLandWithoutAJournal(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(p *Project) error
	}{
		{"finalize", finalize},
		{"write", func(p *Project) error { return writeNew(p, "x.md") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.open()
			if test.name == "finalize" {
				p = w.dreaming()
			}
			before := w.files()
			repair := breakJournal(t, p)
			var half *store.HalfError
			if err := test.do(p); !errors.As(err, &half) {
				t.Fatalf("told %v", err)
			}
			repair()
			if err := p.Recover(ctx); err != nil {
				t.Fatal(err)
			}
			if same(w.files(), before) {
				t.Error("it has not landed")
			}
			if _, diff, err := p.History.Diff(""); err != nil || len(diff) == 0 {
				t.Errorf("the diff of the newest: %q, %v", diff, err)
			}
			if _, err := p.History.Undo(ctx, ""); err != nil || !same(w.files(), before) {
				t.Errorf("undone to %q with %v", w.files(), err)
			}
		})
	}
}

// What the journal has lost, whole or its end, is known by its archive: it is listed where it belongs and can
// be taken back, newest first, however the clock was set.
func TestJournalLost(t *testing.T) {
	w := newWorld(t)
	var before []map[string]string
	write := func(path string, later time.Duration) {
		before = append(before, w.files())
		w.now = w.now.Add(later)
		if err := writeNew(w.open(), path); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(w.open().StateDir(), store.JournalFile)
	write("x.md", time.Minute)
	write("y.md", 365*24*time.Hour)
	write("z.md", -364*24*time.Hour)
	if err := os.Rename(journal, journal+aside); err != nil {
		t.Fatal(err)
	}
	write("last.md", time.Hour)
	if err := os.Rename(journal+aside, journal); err != nil {
		t.Fatal(err)
	}
	var listed []string
	entries, err := w.open().Log()
	for _, e := range entries {
		listed = append(listed, e.Files[0])
	}
	if want := []string{"x.md", "y.md", "z.md", "last.md"}; err != nil || !slices.Equal(listed, want) {
		t.Errorf("with the end lost: %v, %v, want %v", listed, err, want)
	}
	for n := len(before) - 1; n > 0; n-- {
		if n == 1 {
			if err := os.Remove(journal); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.open().History.Undo(ctx, ""); err != nil || !same(w.files(), before[n]) {
			t.Errorf("%d taken back with %v:%s", n, err, differences(w.files(), before[n]))
		}
		w.now = w.now.Add(time.Minute)
	}
}
