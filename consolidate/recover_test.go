package consolidate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// foreignFiles are what has the name of a memory and is none.
var foreignFiles = []struct {
	name string
	put  func(path string) error
}{
	{"link", func(path string) error { return os.Symlink("c.md", path) }},
	{"folder", func(path string) error { return os.Mkdir(path, 0o700) }},
	{"large", func(path string) error {
		return os.WriteFile(path, []byte(strings.Repeat("x", memory.MaxReadBytes+1)), 0o600)
	}},
}

// putForeign puts what is not a memory at a path, and returns a look at it.
func putForeign(t *testing.T, path string, put func(path string) error) os.FileInfo {
	t.Helper()
	if err := put(path); err != nil {
		t.Skip(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Skip("NOT TESTED: this system made nothing, and said that it had: ", err)
	}
	return info
}

// What somebody puts in the way of a commit that was cut off is left alone. That does not refuse
// every write for ever.
func TestRecoverOverForeignFile(t *testing.T) {
	for _, test := range foreignFiles {
		t.Run(test.name, func(t *testing.T) {
			w := cutOff(t, "updated a.md")
			a := filepath.Join(w.memory, "a.md")
			if err := os.Remove(a); err != nil {
				t.Fatal(err)
			}
			was := putForeign(t, a, test.put)
			p := w.open()
			if err := p.Recover(ctx); err != nil {
				t.Fatal(err)
			}
			if is, err := os.Lstat(a); err != nil || !os.SameFile(is, was) {
				t.Errorf("it was not left alone: %v", err)
			}
			if _, there := w.files()["deep/new.md"]; !there {
				t.Error("the rest did not land")
			}
			if err := writeNew(p, "x.md"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Somebody replaces a memory by a link, a folder or a large file after the last look of a landing, which displaces it,
// and the process dies then. The name is given back to what has it: a temporary that is not a text must not refuse
// every write for ever.
func TestRecoverOverDisplaced(t *testing.T) {
	for _, file := range []string{"a.md", "b.md"} { // one is replaced, one deleted
		for _, test := range foreignFiles {
			t.Run(file+"/"+test.name, func(t *testing.T) {
				w := cutOff(t, "sweep")
				temp := w.query("SELECT temp FROM changes WHERE name = ?", file)[0]
				path := filepath.Join(w.memory, file)
				if err := os.Remove(filepath.Join(w.memory, temp)); err != nil {
					t.Fatal(err)
				}
				was := putForeign(t, filepath.Join(w.memory, temp), test.put)
				p := w.open()
				if err := p.Recover(ctx); err != nil {
					t.Fatal(err)
				}
				if is, err := os.Lstat(path); err != nil || !os.SameFile(is, was) {
					t.Errorf("what was displaced has not got its name again: %v", err)
				}
				if left, _ := filepath.Glob(filepath.Join(w.memory, ".dream-*.tmp")); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
				if _, there := w.files()["deep/new.md"]; !there {
					t.Error("the rest did not land")
				}
				if err := writeNew(p, "x.md"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The folder of a change becomes a link that leads out, after the process died: nothing is written there, and the rest
// lands.
func TestRecoverOverALinkedFolder(t *testing.T) {
	for _, at := range []string{"created deep/new.md", "sweep"} {
		t.Run(at, func(t *testing.T) {
			w := newWorldFor(t, "commit")
			os.Mkdir(filepath.Join(w.memory, "deep"), 0o700)
			w.put("deep/x.md", topic("x", "project"))
			if died := w.runToDeath("commit", slices.Index(stepsOf(t, "commit"), at)); died != at {
				t.Fatalf("it died at %q, want %q", died, at)
			}
			deep, outside := filepath.Join(w.memory, "deep"), filepath.Join(t.TempDir(), "deep")
			if err := errors.Join(os.Rename(deep, outside), os.Symlink(outside, deep)); err != nil {
				t.Skip(err)
			}
			was, _ := os.ReadDir(outside)
			p := w.open()
			if err := p.Recover(ctx); err != nil {
				t.Fatal(err)
			}
			if is, _ := os.ReadDir(outside); len(is) != len(was) {
				t.Errorf("outside are now %v, before %v", is, was)
			}
			if _, there := w.files()["b.md"]; there {
				t.Error("the rest did not land")
			}
			if err := writeNew(p, "y.md"); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a landing needs may be damaged; each kind stops as little as it must. Doctor says so, and nothing is written
// until the person takes the memory as it is.
func TestRecoverFromADamagedFolder(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(w *world) error
	}{
		{"the record", func(w *world) error { w.query("UPDATE operations SET record = '{'"); return nil }},
		{"the record and its changes", func(w *world) error {
			w.query("DELETE FROM operations")
			w.query("DELETE FROM changes")
			return nil
		}},
		{"the database", func(w *world) error { return w.damage(func(path string) error { return os.Truncate(path, 5000) }) }},
		{"the database, deleted", func(w *world) error { return w.damage(os.Remove) }},
		{"the texts and the temporaries", func(w *world) error {
			temps, _ := filepath.Glob(filepath.Join(w.memory, ".dream-*.tmp"))
			for _, temp := range temps {
				os.Remove(temp)
			}
			w.query("DELETE FROM texts")
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := cutOff(t, "updated a.md")
			w.mustDo(test.damage(w))
			p := w.open()
			if err := p.Recover(ctx); err == nil {
				t.Error("it was recovered")
			}
			// A person who stops it reads that nobody dreams, and never that the dead was stopped.
			if holder, err := p.RequestStop(ctx, "enough"); err == nil {
				t.Errorf("%q was stopped, who is dead", holder)
			}
			was := w.files()
			checks, err := p.Doctor.Examine(ctx, true, false)
			if n := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.Name == "lock" }); err != nil || checks[n].State != doctor.Wrong || checks[n].Hint == "" {
				t.Errorf("doctor says %+v, %v", checks, err)
			}
			if err := writeNew(p, "x.md"); err == nil {
				t.Error("written before the person decided")
			}
			_, err = p.Doctor.Examine(ctx, true, true)
			if err := errors.Join(err, writeNew(p, "x.md")); err != nil {
				t.Error("when the person had decided:", err)
			}
			for _, name := range []string{"a.md", "b.md"} {
				if now := w.read(name); now != was[name] {
					t.Errorf("%s is %q, was %q", name, now, was[name])
				}
			}
		})
	}
}

// A state folder that is removed under a living server is made again.
func TestStateRemoved(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.Store.Records.StateDir()); err != nil {
		t.Skip(err) // where what is open can't be removed, it isn't
	}
	w.setNow(w.now.Add(time.Hour))
	if err := writeNew(p, "y.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.History.Undo(ctx, ""); err != nil {
		t.Errorf("what was written then can't be undone: %v", err)
	}
}

// The end of a commit, the stamp, is a file that is replaced like others: a death during it
// leaves a temporary beside it, though all has landed. A text that only a temporary has is kept.
func TestRecoverSweepsWhatTheStampLeft(t *testing.T) {
	w := cutOff(t, "stamp")
	w.put(".dream-0123456789abcdef.tmp", "")
	w.put(".dream-fedcba9876543210.tmp", "theirs")
	if err := w.open().Recover(ctx); err != nil {
		t.Fatal(err)
	}
	if kept := w.query("SELECT CAST(text AS TEXT) FROM texts WHERE sum = ?", string(memory.SumOf([]byte("theirs")))); !slices.Equal(kept, []string{"theirs"}) {
		t.Errorf("kept %q", kept)
	}
	if got, want := w.files(), runWhole(t, "commit").after; !same(got, want) {
		t.Error("recovered:", differences(got, want))
	}
}

// damage does something to the file of the database, which no process has open, and removes SQLite's log.
func (w *world) damage(do func(path string) error) error {
	w.query("PRAGMA wal_checkpoint(truncate)")
	paths, _ := filepath.Glob(filepath.Join(w.state, "*", state.File))
	if len(paths) != 1 {
		w.t.Fatalf("there are %d databases", len(paths))
	}
	for _, end := range []string{"-wal", "-shm"} {
		os.Remove(paths[0] + end)
	}
	return do(paths[0])
}

// The mark in the lock's record may be on disk though its sync failed and the plan was given up: what
// was never planned is staged, whatever the record says.
func TestRecoverAMarkWithoutAPlan(t *testing.T) {
	w := newWorldFor(t, "commit")
	before := w.files()
	w.runToDeath("commit", stepOf(t, "commit", "plan"))
	data, err := os.ReadFile(filepath.Join(w.memory, lock.File))
	w.mustDo(err)
	w.put(lock.File, strings.Replace(string(data), `"stage":`, `"committing":true,"stage":`, 1))
	w.mustDo(w.open().Recover(ctx))
	if got := w.files(); !same(got, before) {
		t.Errorf("recovered to:%s", differences(got, before))
	}
}

// A dream whose beginning can't be logged is none: the lock's lock.Stamp is given back.
func TestBeginWithoutALog(t *testing.T) {
	w := newWorldFor(t, "commit")
	was := w.hostStamp()
	p := w.open()
	w.breakTable("log")
	if err := p.Begin(ctx, true, false); err == nil || p.dream != nil {
		t.Errorf("begun with %v, a dream open: %v", err, p.dream != nil)
	}
	if got := w.hostStamp(); got != was {
		t.Errorf("%s is %s, was %s", lock.HostFile, got, was)
	}
}

// What has landed and cannot be logged is reported as half done, never as failed. Recovery writes what is
// missing, so that diff and undo know it.
func TestLandWithoutALog(t *testing.T) {
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
			repair := w.breakTable("log")
			var half *ops.HalfError
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
			if _, diff, err := p.History.Diff(ctx, ""); err != nil || len(diff) == 0 {
				t.Errorf("the diff of the newest: %q, %v", diff, err)
			}
			if _, err := p.History.Undo(ctx, ""); err != nil || !same(w.files(), before) {
				t.Errorf("undone to %q with %v", w.files(), err)
			}
		})
	}
}

// A read ends what a dead dream left, too: Claude Code would take its lock for a dream that was done.
func TestReadEndsADeadDream(t *testing.T) {
	for name, read := range map[string]func(*Project) error{
		"read":   func(p *Project) error { return complete(p) },
		"doctor": func(p *Project) error { _, err := p.Doctor.Examine(ctx, false, false); return err },
	} {
		w := newWorldFor(t, "commit")
		was := w.hostStamp()
		w.runToDeath("commit", stepOf(t, "commit", "plan"))
		if got := w.hostStamp(); got == was {
			t.Fatal("the dream did not take the lock")
		}
		w.mustDo(read(w.open()))
		if got := w.hostStamp(); got != was {
			t.Errorf("%s: %s is %s, was %s", name, lock.HostFile, got, was)
		}
	}
}
