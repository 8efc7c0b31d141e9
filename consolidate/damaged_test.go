package consolidate

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// damages are what may happen to a file or a folder of ours. What cannot happen to it is an error.
var damages = map[string]func(path string) error{
	"removed": os.RemoveAll,
	"halved": func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	},
	"flipped": func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			return err
		}
		data[len(data)/2] ^= 1
		return os.WriteFile(path, data, 0o600)
	},
	"a link": func(path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.Symlink("elsewhere", path)
	},
}

// ours are the files and folders in our folder of this memory.
func (w *world) ours() (paths []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.state, func(p string, e fs.DirEntry, err error) error {
		if p == w.transcripts() {
			return fs.SkipDir
		}
		if err == nil && p != w.state {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return paths
}

// contents returns the sums of all files at or below a path, and of the texts in the databases among them.
func contents(path string) map[memory.Sum]bool {
	sums := map[memory.Sum]bool{}
	filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if data, err := os.ReadFile(p); err == nil {
				sums[memory.SumOf(data)] = true
			}
			if strings.HasPrefix(e.Name(), state.File) {
				for _, text := range textsIn(p) {
					sums[memory.SumOf(text)] = true
				}
			}
		}
		return nil
	})
	return sums
}

// textsIn returns the texts in a database, as far as they can be read.
func textsIn(path string) (texts [][]byte) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil
	}
	defer db.Close()
	rows, err := db.Query("SELECT text FROM texts")
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var text []byte
		if rows.Scan(&text) == nil {
			texts = append(texts, text)
		}
	}
	return texts
}

// ending fails the test, by what it tried, where f hangs.
func (w *world) ending(what string, f func()) {
	w.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		w.t.Fatalf("%s: it waits for something", what)
	}
}

// Each file and folder of our state folder is damaged in turn, in each way, at one stage of a dream or another (with
// -inject 0 at each). What follows succeeds whole or ends in an error; each memory is as it was or as the dream would
// have it, and what the dream would replace is in the memory or in the archive, unless the damage itself took it.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	tried, errs := 0, 0
	whole := runWhole(t, "commit")
	cut := slices.Index(stepsOf(t, "commit"), "deleted b.md")
	for nth, stage := range []struct {
		name string
		make func() *world
		then func(p *Project) error
	}{
		{"staged", func() *world { w := newWorldFor(t, "commit"); w.do("abort"); return w }, func(p *Project) error {
			err := p.Begin(ctx, true, true)
			if err == nil {
				err = finalize(p)
			}
			return err
		}},
		{"landing", func() *world {
			w := newWorldFor(t, "commit")
			w.runToDeath("commit", cut)
			return w
		}, func(p *Project) error { return p.Recover(ctx) }},
		{"landed", func() *world { w := newWorldFor(t, "commit"); w.do("commit"); return w }, func(p *Project) error {
			_, err := p.History.Undo(ctx, "")
			return err
		}},
	} {
		for i := range stage.make().ours() {
			for kind, damage := range slices.Sorted(maps.Keys(damages)) {
				if (i+kind+4*nth)%every(12) != 0 {
					continue
				}
				w := stage.make()
				file := w.ours()[i]
				what := fmt.Sprintf("%s, %s %s", stage.name, strings.TrimPrefix(file, w.state), damage)
				lost, was := contents(file), w.files()
				if damages[damage](file) != nil {
					continue
				}
				tried++
				w.setNow(w.now.Add(time.Minute))
				var err error
				w.ending(what, func() {
					p := Open(w.options())
					err = stage.then(p)
					logOf(p)
					p.History.Diff(ctx, "")
					p.History.LastReport(ctx)
					p.Status(ctx)
					p.Proposals.Reviews(ctx)
					p.Proposals.Reviews(ctx)
					p.History.Versions(ctx, "")
					p.Doctor.Examine(ctx, false, false)
					p.Close("the test ended")
				})
				got := w.files()
				if err != nil {
					errs++
					if strings.Contains(err.Error(), "\n\n") || len(err.Error()) > 2_000 {
						t.Errorf("%s: the error is no sentence: %v", what, err)
					}
					var broken *ops.BrokenError
					if stage.name != "landing" && !same(got, was) || stage.name == "landing" && !errors.As(err, &broken) && !same(got, whole.after) {
						t.Errorf("%s: ended with %v, and yet:%s", what, err, differences(got, was))
					}
				}
				kept := contents(w.state)
				for file, content := range whole.before {
					if now, there := got[file]; there && now != content && now != whole.after[file] && file != memory.IndexFile {
						t.Errorf("%s: %s is neither as before nor as after: %q", what, file, now)
					}
					if !slices.Contains(slices.Collect(maps.Values(got)), content) && !kept[memory.SumOf([]byte(content))] && (!lost[memory.SumOf([]byte(content))] || was[file] == content) {
						t.Errorf("%s: ended with %v, and what %s held is lost", what, err, file)
					}
				}
			}
		}
	}
	fmt.Printf("TestDamagedState damaged our files in %d ways: %d ended in an error, no memory was harmed\n", tried, errs)
}

// The state folder is lost between two calls of a dream, as a cleaner of caches does it. The dream says so
// or goes on; nothing lands by half, and the next one begins.
func TestStateLostInADream(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: Windows removes and moves no database that is open")
	}
	whole := runWhole(t, "commit")
	for _, at := range []string{"after its beginning", "after its writes", "before it lands", "while it lands"} {
		w := newWorldFor(t, "commit")
		o := w.options()
		lose := func(now string) {
			if now == at {
				os.RemoveAll(w.state)
			}
		}
		o.Step = func(step string) {
			lose(map[string]string{"plan": "before it lands", "updated a.md": "while it lands"}[step])
		}
		p := Open(o)
		err := p.Begin(ctx, true, false)
		if err == nil {
			lose("after its beginning")
			err = writeScript(p)
		}
		if err == nil {
			lose("after its writes")
			err = finalize(p)
		}
		if err == nil {
			t.Errorf("%s: the dream ended as if nothing had happened", at)
		}
		p.Close("the test ended")
		got := w.files()
		var half *ops.HalfError
		switch {
		case errors.As(err, &half):
			for file, content := range got {
				if content != whole.before[file] && content != whole.after[file] && !strings.HasPrefix(filepath.Base(file), ".dream-") {
					t.Errorf("%s: %s is neither as before nor as after", at, file)
				}
			}
		case !same(got, whole.before):
			t.Errorf("%s: ended with %v, and yet:%s", at, err, differences(got, whole.before))
		}
		if errors.As(err, &half) {
			continue // TestLostPlan has the rest
		}
		w.setNow(w.now.Add(2 * time.Hour))
		next := w.open()
		if err := next.Begin(ctx, true, false); err != nil {
			t.Errorf("%s: the next dream: %v", at, err)
		}
	}
}

// The state folder is moved away and another lies there before a dream lands: what would land could be
// carried on and undone by nobody. Nothing lands, and with the folder back in its place it does.
func TestStateMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: Windows removes and moves no database that is open")
	}
	w := newWorldFor(t, "commit")
	before := w.files()
	o, moved := w.options(), false
	o.Step = func(step string) {
		if step == "plan" && !moved {
			moved = true
			if err := errors.Join(os.Rename(w.state, w.state+aside), os.CopyFS(w.state, os.DirFS(w.state+aside))); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := Open(o)
	defer p.Close("the test ended")
	if err := dreamThen(finalize)(p); err == nil || !same(w.files(), before) {
		t.Fatalf("landed with %v:%s", err, differences(w.files(), before))
	}
	if err := errors.Join(os.RemoveAll(w.state), os.Rename(w.state+aside, w.state)); err != nil {
		t.Fatal(err)
	}
	if err := finalize(p); err != nil {
		t.Fatal(err)
	}
	if _, err := w.open().History.Undo(ctx, ""); err != nil || !same(w.files(), before) {
		t.Errorf("taken back with %v:%s", err, differences(w.files(), before))
	}
}

// The clock is set, by a year, between any two calls of a dream. It ends whole or without a trace, and
// neither the dream nor the gates are stuck afterwards.
func TestClockSet(t *testing.T) {
	whole := runWhole(t, "commit")
	const year = 365 * 24 * time.Hour
	for _, by := range []time.Duration{-year, year} {
		for _, at := range []string{"begin", "write", "finalize", "afterwards"} {
			w := newWorldFor(t, "commit")
			p := w.open()
			set := func(now string) {
				if now == at {
					w.setNow(w.now.Add(by))
				}
			}
			set("begin")
			err := p.Begin(ctx, true, false)
			if err == nil {
				set("write")
				err = writeScript(p)
			}
			if err == nil {
				set("finalize")
				err = finalize(p)
			}
			set("afterwards")
			got := w.files()
			// Of what landed at another time only the stamps differ.
			landed := got["deep/new.md"] != ""
			if landed != (err == nil) || !landed && !same(got, whole.before) {
				t.Errorf("%v at %s: ended with %v, and yet:%s", by, at, err, differences(got, whole.before))
			}
			if err != nil && !errors.Is(err, ErrExpired) {
				t.Errorf("%v at %s: %v", by, at, err)
			}
			if _, err := p.Status(ctx); err != nil {
				t.Errorf("%v at %s: status: %v", by, at, err)
			}
			if landed {
				if _, err := p.History.Undo(ctx, ""); err != nil || !same(w.files(), whole.before) {
					t.Errorf("%v at %s: undone with %v:%s", by, at, err, differences(w.files(), whole.before))
				}
			}
			w.setNow(w.now.Add(25 * time.Hour))
			if err := p.Begin(ctx, by < 0, false); err != nil {
				t.Errorf("%v at %s: a day later: %v", by, at, err)
			}
		}
	}
}

// Each page of the database is zeroed in turn. The memory is not harmed, doctor says so, and with --fix a write works
// again, the damaged file is kept, and an undo gives back what was there or fails.
func TestZeroedPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := Open(w.options())
	var texts []map[string]string // after each change
	for i, edit := range []string{"Another body of a.", "A third body of a."} {
		w.setNow(w.now.Add(time.Minute))
		if err := change(p, "a.md", []string{"The body of a.", "Another body of a."}[i], edit); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, w.files())
	}
	path := p.Store.Records.Path()
	unlock := p.Store.Lock()
	newest, _, err := p.History.Named(ctx, "")
	unlock()
	if err := errors.Join(err, p.Close("the test ended")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	tried, fixed, undone := 0, 0, 0
	for at := page * (1 % every(5)); at < len(whole); at += page * every(5) {
		tried++
		w := &world{t: t, memory: filepath.Join(t.TempDir(), "memory"), state: t.TempDir(), now: w.now.Add(time.Minute)}
		os.Mkdir(w.memory, 0o700)
		for name, content := range texts[1] {
			os.MkdirAll(filepath.Dir(filepath.Join(w.memory, name)), 0o700)
			w.put(name, content)
		}
		damaged := slices.Concat(whole[:at], make([]byte, page), whole[at+page:])
		p := Open(w.options())
		os.MkdirAll(p.Store.Records.StateDir(), 0o700)
		if err := os.WriteFile(p.Store.Records.Path(), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		was := w.files()
		checks, err := p.Doctor.Examine(ctx, true, false)
		if err != nil {
			t.Errorf("page %d: doctor: %v", at/page, err)
		}
		if !same(w.files(), was) {
			t.Errorf("page %d: doctor has changed the memory:%s", at/page, differences(w.files(), was))
		}
		aside, _ := filepath.Glob(filepath.Join(p.Store.Records.StateDir(), state.Aside+"*"))
		if slices.ContainsFunc(checks, func(c doctor.Check) bool { return c.Name == "archive" && c.State == doctor.Repaired }) {
			fixed++
			if kept, err := os.ReadFile(filepath.Join(append(aside, "none")[0], state.File)); err != nil || !slices.Equal(kept, damaged) {
				t.Errorf("page %d: the damaged database is not kept: %q, %v", at/page, aside, err)
			}
		} else if len(aside) > 0 {
			t.Errorf("page %d: it was set aside, and doctor says %+v", at/page, checks)
		}
		if again, err := p.Doctor.Examine(ctx, false, false); err != nil || slices.ContainsFunc(again, func(c doctor.Check) bool { return c.State == doctor.Wrong }) {
			t.Errorf("page %d: after the fix doctor says %+v, %v", at/page, again, err)
		}
		if err := writeNew(p, "x.md"); err != nil {
			t.Errorf("page %d: a write after the fix: %v", at/page, err)
		}
		was = w.files()
		if _, err := p.History.Undo(ctx, newest); err == nil {
			undone++
			was["a.md"] = texts[0]["a.md"]
		}
		if got := w.files(); !same(got, was) {
			t.Errorf("page %d: an undo gave:%s", at/page, differences(got, was))
		}
		p.Close("the test ended")
	}
	t.Logf("of %d pages %d were fixed; after %d the operation could be undone", tried, fixed, undone)
	if undone < tried/2 {
		t.Errorf("the operation could be undone after %d of %d pages were lost", undone, tried)
	}
}

// Each page of the database is zeroed in turn while a commit is pending. Doctor ends it: the commit is completed, or
// with --accept the memory is taken as it is. Then the database is whole, and a write works again.
func TestZeroedPagesWhileLanding(t *testing.T) {
	t.Parallel()
	whole := runWhole(t, "commit")
	const page = 4096
	completed, tried := 0, 0
	for at, size := 0, page; at < size; at += page * every(5) {
		w := cutOff(t, "updated a.md")
		half := w.files()
		w.mustDo(w.database(Open(w.options())).Close()) // nothing is only in SQLite's log
		w.mustDo(w.damage(func(path string) error {
			data, err := os.ReadFile(path)
			if size = len(data); err != nil || at >= size {
				return err
			}
			return os.WriteFile(path, slices.Concat(data[:at], make([]byte, page), data[at+page:]), 0o600)
		}))
		p := w.open()
		for _, accept := range []bool{false, true} {
			if _, err := p.Doctor.Examine(ctx, true, accept); err != nil {
				t.Errorf("page %d: doctor: %v", at/page, err)
			}
			if same(w.files(), whole.after) {
				completed++
				break
			}
		}
		tried++
		checks, err := p.Doctor.Examine(ctx, false, false)
		if err != nil || slices.ContainsFunc(checks, func(c doctor.Check) bool { return c.State == doctor.Wrong }) {
			t.Errorf("page %d: after the fixes doctor says %+v, %v", at/page, checks, err)
		}
		got := w.files()
		for name, content := range got {
			if content != half[name] && content != whole.after[name] {
				t.Errorf("page %d: %s is now %q", at/page, name, content)
			}
		}
		if err := writeNew(p, "x.md"); err != nil {
			t.Errorf("page %d: a write after the fixes: %v", at/page, err)
		}
	}
	t.Logf("of %d commits %d were completed", tried, completed)
}
