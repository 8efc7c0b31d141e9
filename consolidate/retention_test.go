package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// worldOfWrites is a world in which n writes have landed, a day apart, the last but one a year ago and the last
// two days.
func worldOfWrites(t *testing.T, n int) *world {
	w := newWorld(t)
	w.putDatabase()
	w.setNow(start.AddDate(-1, 0, -n))
	p := w.open()
	body := "The body of a."
	for i := range n {
		if w.setNow(w.now.AddDate(0, 0, 1)); i == n-1 {
			w.setNow(start.AddDate(0, 0, -2))
		}
		next := fmt.Sprintf("Write %d.", i)
		w.write(p, "a.md", body, next)
		body = next
	}
	w.setNow(start)
	return w
}

// A process is killed at each step of a pruning. What is left in the archive is whole, and the next
// process ends what was begun.
func TestKillWhilePruning(t *testing.T) {
	t.Parallel()
	for step := 0; ; step += every(4) {
		w := worldOfWrites(t, keptNewest+3)
		const newest = keptNewest - 1 // and the write that prunes
		died := w.runToDeath("write", stepOf(t, "write", "landed")+1+step)
		w.checkArchive(fmt.Sprintf("killed at %d (%s)", step, died))
		p := w.open()
		w.setNow(w.now.Add(time.Minute))
		if err := writeNew(p, "later.md"); err != nil {
			t.Fatal(err)
		}
		w.checkArchive("after the next write")
		if left := len(w.ids()); left != newest+1 {
			t.Errorf("killed at %d (%s): %d operations are left, want %d", step, died, left, newest+1)
		}
		for i, days := range []int{8, 2} { // the second knows by the first that a week has passed
			w.setNow(w.now.AddDate(0, 0, days))
			if err := writeNew(w.open(), fmt.Sprintf("still_later%d.md", i)); err != nil {
				t.Fatal(err)
			}
		}
		w.checkCollected(fmt.Sprintf("killed at %d (%s)", step, died))
		if died == "" {
			if step < 4 {
				t.Errorf("a pruning has only %d steps", step)
			}
			return
		}
	}
}

func stepOf(t *testing.T, operation, name string) int {
	return slices.Index(stepsOf(t, operation), name)
}

// ids returns the IDs of all operations, the oldest first.
func (w *world) ids() (ids []string) { return w.query("SELECT id FROM operations ORDER BY id") }

// texts returns the sums of all texts.
func (w *world) texts() []string { return w.query("SELECT sum FROM texts") }

// checkArchive sees that all that the archive names is there.
func (w *world) checkArchive(what string) {
	w.t.Helper()
	p := w.open()
	for _, id := range w.ids() {
		a, err := p.Store.Records.Op(id)
		if err != nil {
			w.t.Errorf("%s: %v", what, err)
			continue
		}
		for _, c := range a.Changes {
			for _, s := range []memory.Sum{c.Before, c.After} {
				if _, err := p.Store.Records.Content(s); err != nil && s != "" {
					w.t.Errorf("%s: %v", what, err)
				}
			}
		}
	}
}

// What retention has removed can't be undone, and says so; what it kept can.
func TestUndoWhatWasPruned(t *testing.T) {
	w := worldOfWrites(t, keptNewest+3)
	oldest := w.ids()[0]
	p := w.open()
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.History.Undo(ctx, oldest); !errors.Is(err, ops.ErrUnknown) {
		t.Errorf("undoing what was removed: %v", err)
	}
	w.setNow(w.now.Add(time.Minute))
	if _, err := p.History.Undo(ctx, ""); err != nil {
		t.Error(err)
	}
}

// An archive over its limit is reported.
func TestStatusReportsLargeArchive(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.MaxArchive = 1
	p := Open(o)
	t.Cleanup(func() { p.Close("the test ended") })
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	s, err := p.Status(ctx)
	if err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "over its limit") {
		t.Errorf("the warnings are %q, %v", s.Warnings, err)
	}
}

// checkCollected sees that each text is one that an operation has.
func (w *world) checkCollected(what string) {
	w.t.Helper()
	p := w.open()
	needed := map[string]bool{}
	for _, id := range w.ids() {
		o, err := p.Store.Records.Op(id)
		w.mustDo(err)
		for _, c := range o.Changes {
			needed[string(c.Before)], needed[string(c.After)] = true, true
		}
		needed[string(o.Index)] = true
	}
	for _, text := range w.texts() {
		if !needed[text] {
			w.t.Errorf("%s: no operation has the text %s", what, text)
		}
	}
}

// The texts of a record that cannot be read stay.
func TestDamagedRecordKeepsTexts(t *testing.T) {
	w := worldOfWrites(t, keptNewest+3)
	damaged := w.ids()[keptNewest]
	w.query("UPDATE operations SET record = '{' WHERE id = ?", damaged)
	needed := func() []string {
		return w.query("SELECT sum FROM needs JOIN texts USING (sum) WHERE operation = ?", damaged)
	}
	before := needed()
	if err := writeNew(w.open(), "x.md"); err != nil {
		t.Fatal(err)
	}
	after := needed()
	if len(before) == 0 || slices.ContainsFunc(before, func(sum string) bool { return !slices.Contains(after, sum) }) {
		t.Errorf("of %q %q are left", before, after)
	}
}

// For a day the clock is a year ahead. What was archived, staged or proposed before is kept; only when the clock
// shows that year on another day too has it passed.
func TestClockAhead(t *testing.T) {
	w := newWorldFor(t, "commit")
	w.do("abort")
	w.setNow(w.now.Add(time.Minute))
	w.do("commit") // of which the archive has the only copy of what it deleted
	body := "The better body of a."
	p := w.open()
	for i := range keptNewest + 3 {
		w.setNow(w.now.Add(time.Hour))
		next := fmt.Sprintf("Write %d.", i)
		w.write(p, "a.md", body, next)
		body = next
	}
	before := w.ids()
	w.setNow(w.now.AddDate(1, 0, 0))
	for _, file := range []string{"x.md", "y.md"} {
		w.setNow(w.now.Add(time.Hour))
		if err := writeNew(w.open(), file); err != nil {
			t.Fatal(err)
		}
	}
	if left := w.ids(); len(left) != len(before)+2 {
		t.Errorf("of %d operations %d are left", len(before)+2, len(left))
	}
	w.setNow(w.now.Add(25 * time.Hour))
	if err := writeNew(w.open(), "z.md"); err != nil {
		t.Fatal(err)
	}
	if left := w.ids(); len(left) >= len(before) {
		t.Errorf("nothing has grown old: %d operations are left", len(left))
	}
}

// A process that writes and writes does not let the archive grow over its limit, whatever other processes
// have added to it.
func TestWritesKeepTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.options()
	o.MaxArchive = 200 << 10
	processes := []*Project{Open(o), Open(o)}
	for _, p := range processes {
		defer p.Close("the test ended")
	}
	body := "The body of a."
	for i := range 40 {
		p := processes[i%2]
		next := fmt.Sprintf("Write %d. %s", i, strings.Repeat(string(rune('a'+i%26)), 10_000))
		w.write(p, "a.md", body, next)
		body = next
		use, err := p.History.Use()
		if err != nil {
			t.Fatal(err)
		}
		if bytes := use.Bytes; bytes > o.MaxArchive+o.MaxArchive/64 {
			t.Fatalf("after %d writes the archive has %d bytes, of at most %d", i+1, bytes, o.MaxArchive)
		}
	}
}

// What killed processes left of files in our state folder goes when it is a day old; what another process may
// be writing stays.
func TestStateTemporaries(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "share"} {
		w.mustDo(os.MkdirAll(filepath.Join(p.Store.Records.StateDir(), folder), 0o700))
		for name, age := range map[string]time.Duration{".dream-00.tmp": 25 * time.Hour, ".dream-01.tmp": time.Hour, ".dream-02": 25 * time.Hour} {
			file := filepath.Join(p.Store.Records.StateDir(), folder, name)
			w.mustDo(os.WriteFile(file, []byte("torn"), 0o600))
			os.Chtimes(file, w.now.Add(-age), w.now.Add(-age))
		}
	}
	if err := writeNew(w.open(), "y.md"); err != nil {
		t.Fatal(err)
	}
	left := map[string]int{}
	filepath.WalkDir(p.Store.Records.StateDir(), func(name string, _ fs.DirEntry, _ error) error {
		left[filepath.Base(name)]++
		return nil
	})
	if left[".dream-00.tmp"] != 0 || left[".dream-01.tmp"] != 2 || left[".dream-02"] != 2 {
		t.Errorf("left are %v", left)
	}
}
