package consolidate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// fixes are what a doctor does, for processes that are to die meanwhile.
var fixes = map[string]func(p *Project) error{
	"mend": func(p *Project) error {
		_, err := p.Doctor.Examine(ctx, true, true)
		return err
	},
}

// check returns the check of a name whose state is not Healthy.
func (w *world) check(p *Project, name string, fix, accept bool) (c doctor.Check) {
	w.t.Helper()
	checks, err := p.Doctor.Examine(ctx, fix, accept)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range checks {
		if c.Name == name && c.State != doctor.Healthy {
			return c
		}
	}
	return doctor.Check{}
}

// A process is killed at each step of giving a commit up. The next one ends it, what lay beside the
// memories is in the archive, and the time of the last consolidation is given back.
func TestKillWhileFixing(t *testing.T) {
	for step := 0; ; step++ {
		w := cutOff(t, "updated a.md")
		half := w.files()
		if err := os.RemoveAll(w.state); err != nil {
			t.Fatal(err)
		}
		died := w.runToDeath("mend", step)
		w.setNow(w.now.Add(time.Minute))
		p := w.open()
		if _, err := p.Doctor.Examine(ctx, true, true); err != nil {
			t.Fatal(err)
		}
		now := w.files()
		for file, content := range half {
			if strings.HasPrefix(filepath.Base(file), ".dream-") {
				sum := string(memory.SumOf([]byte(content)))
				if kept := w.query("SELECT sum FROM texts WHERE sum = ?", sum); content != "" && len(kept) == 0 {
					t.Errorf("killed at %d (%s): %s was removed and not archived", step, died, file)
				}
			} else if got, there := now[file]; file != "MEMORY.md" && (!there || got != content) {
				t.Errorf("killed at %d (%s): %s is %q", step, died, file, got)
			}
		}
		for file := range now {
			if strings.HasPrefix(filepath.Base(file), ".dream-") {
				t.Errorf("killed at %d (%s): %s is left", step, died, file)
			}
		}
		if !strings.Contains(w.hostStamp(), prior.Format(time.RFC3339)) {
			t.Errorf("killed at %d (%s): %s is %s", step, died, lock.HostFile, w.hostStamp())
		}
		if err := writeNew(p, "x.md"); err != nil {
			t.Errorf("killed at %d (%s): a later write: %v", step, died, err)
		}
		if died == "" {
			if step < 5 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// Without fix nothing is changed, if no reader would: whether the process of the dream has ended cannot be seen from
// here.
func TestExamineChangesNothing(t *testing.T) {
	w := cutOff(t, "plan")
	data, err := os.ReadFile(filepath.Join(w.memory, lock.File))
	w.mustDo(err)
	w.put(lock.File, strings.Replace(string(data), `"boot":"`, `"boot":"not `, 1))
	before, host, record := w.files(), w.hostStamp(), w.lockRecordSize()
	p := w.open()
	if c := w.check(p, "lock", false, true); c.State != doctor.Wrong || c.Fix == "" {
		t.Errorf("a dream that died: %+v", c)
	}
	if !same(w.files(), before) || w.hostStamp() != host || w.lockRecordSize() != record {
		t.Error("examining changed something:", differences(w.files(), before))
	}
	if c := w.check(p, "lock", true, false); c.State != doctor.Repaired {
		t.Errorf("it was not mended: %+v", c)
	}
	if !same(w.files(), before) || w.lockRecordSize() != 0 {
		t.Error("fixed:", differences(w.files(), before))
	}
}

// A commit that was cut off is completed by whoever looks, and reported.
func TestExamineCompletesACommit(t *testing.T) {
	w := cutOff(t, "updated a.md")
	if c := w.check(w.open(), "lock", false, false); c.State != doctor.Repaired || !strings.Contains(c.Message, "completed") {
		t.Errorf("a commit that was cut off: %+v", c)
	}
	if got, want := w.files(), runWhole(t, "commit").after; !same(got, want) {
		t.Error("fixed:", differences(got, want))
	}
}

// What is in use is left alone: the temporaries and the stamp of a dream that is open elsewhere.
func TestExamineBesideADream(t *testing.T) {
	w := newWorld(t)
	_, _, out := w.start(child{Hold: true, Die: -1})
	out.ReadString('\n')
	w.put(".dream-0123456789abcdef.tmp", "under way")
	p := w.open()
	if c := w.check(p, "lock", true, true); c.State != doctor.Notable || !strings.Contains(c.Message, "it is running") {
		t.Errorf("the lock: %+v", c)
	}
	if c := w.check(p, "leftovers", true, true); c.State != "" {
		t.Errorf("the leftovers: %+v", c)
	}
	if _, there := w.files()[".dream-0123456789abcdef.tmp"]; !there {
		t.Error("a temporary of another process was swept")
	}
}

// A stage that can be resumed, and an archive that has lost a content, are reported.
func TestExamineTheArchive(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	if _, _, err := p.Abort(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if c := w.check(p, "stage", false, false); c.State != doctor.Notable || !strings.Contains(c.Message, "aborted") {
		t.Errorf("the stage: %+v", c)
	}
	w.write(p, "a.md", "The body", "A body")
	id, _, err := p.History.Diff(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := w.check(p, "archive", false, false); c.State != "" {
		t.Errorf("a whole archive: %+v", c)
	}
	w.lose(id)
	if c := w.check(p, "archive", false, false); c.State != doctor.Wrong || !strings.Contains(c.Message, id) {
		t.Errorf("a damaged archive: %+v", c)
	}
}

// lose removes the texts that an operation replaced from the archive.
func (w *world) lose(id string) {
	w.t.Helper()
	p := w.open()
	o, err := p.Store.Records.Op(id)
	w.mustDo(err)
	for _, c := range o.Changes {
		if c.Before != "" {
			w.query("DELETE FROM texts WHERE sum = ?", string(c.Before))
		}
	}
}

// A database that cannot be used is named, and set aside by --fix: then the memory can be written again. Nothing in the
// old one is changed, but forgetting removes it, since nobody can read what it has. While a commit is interrupted, only
// the person gives it up.
func TestUnusableDatabase(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 3000) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"removed": os.Remove,
		"foreign": func(path string) error { return os.WriteFile(path, []byte("not a database of ours"), 0o600) },
		"folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		for _, pending := range []bool{false, true} {
			w := newWorldFor(t, "undo")
			if pending {
				w = cutOff(t, "updated a.md")
				w.mustDo(w.database(Open(w.options())).Close()) // nothing is only in SQLite's log
			}
			before := w.files()
			p := w.open()
			path := p.Store.Records.Path()
			w.mustDo(spoil(path))
			held, _ := os.ReadFile(path)
			c := w.check(p, "archive", false, false)
			if c.State != doctor.Wrong || c.Hint == "" || (c.Fix == "") != pending {
				t.Errorf("%s, pending %t: %+v", name, pending, c)
			}
			if !same(w.files(), before) {
				t.Errorf("%s, pending %t: doctor changed the memory:%s", name, pending, differences(w.files(), before))
			}
			if w.check(p, "archive", true, pending); name == "cut" || name == "foreign" {
				aside, err := filepath.Glob(filepath.Join(filepath.Dir(path), state.Aside+"*"))
				if err != nil || len(aside) == 0 {
					t.Errorf("%s, pending %t: set aside as %v, %v", name, pending, aside, err)
				} else if data, err := os.ReadFile(filepath.Join(aside[0], state.File)); err != nil || !bytes.Equal(data, held) {
					t.Errorf("%s, pending %t: %s was changed, %v", name, pending, aside[0], err)
				}
			}
			if err := writeNew(p, "x.md"); err != nil {
				t.Errorf("%s, pending %t: a write after --fix: %v", name, pending, err)
			}
			w.mustDo(p.Forget(ctx, unwanted))
			if aside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), state.Aside+"*")); len(aside) > 0 {
				t.Errorf("%s, pending %t: forgetting left %v", name, pending, aside)
			}
		}
	}
}
