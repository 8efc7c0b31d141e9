package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

// damages are what may befall a file of ours.
var damages = map[string]func(path string) error{
	"removed": os.Remove,
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
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Symlink("elsewhere", path)
	},
}

// stateFiles are the files in our folder of this memory.
func (w *world) stateFiles() (files []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.state, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// Each file of our state folder is damaged in turn, in each way, at each stage of a dream. What follows
// succeeds whole or ends in an error; each memory is as it was or as the dream would have it, and what the
// dream would replace is in the memory or in the archive, unless the damage itself took it.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	tried, errs := 0, 0
	whole := runWhole(t, "commit")
	cut := slices.Index(stepsOf(t, "commit"), "deleted b.md")
	for _, stage := range []struct {
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
			_, err := p.Undo(ctx, "")
			return err
		}},
	} {
		for i := range stage.make().stateFiles() {
			for _, damage := range slices.Sorted(maps.Keys(damages)) {
				w := stage.make()
				file := w.stateFiles()[i]
				what := fmt.Sprintf("%s, %s %s", stage.name, strings.TrimPrefix(file, w.state), damage)
				lost, _ := os.ReadFile(file)
				was := w.files()
				if err := damages[damage](file); err != nil {
					t.Skip(err)
				}
				tried++
				w.now = w.now.Add(time.Minute)
				p := Open(w.options())
				err := stage.then(p)
				for _, look := range []func() error{
					func() error { _, err := p.Log(); return err },
					func() error { _, _, err := p.Diff(""); return err },
					func() error { _, err := p.LastReport(); return err },
					func() error { _, err := p.Status(ctx); return err },
				} {
					look() // ends, in whatever way
				}
				p.Close("the test ended")
				got := w.files()
				if err != nil {
					errs++
					if strings.Contains(err.Error(), "\n\n") || len(err.Error()) > 2_000 {
						t.Errorf("%s: the error is no sentence: %v", what, err)
					}
					var broken *BrokenError
					if stage.name != "landing" && !same(got, was) || stage.name == "landing" && !errors.As(err, &broken) && !same(got, whole.after) {
						t.Errorf("%s: ended with %v, and yet:%s", what, err, differences(got, was))
					}
				}
				kept := w.contents()
				for file, content := range whole.before {
					if now, there := got[file]; there && now != content && now != whole.after[file] && file != memory.IndexFile {
						t.Errorf("%s: %s is neither as before nor as after: %q", what, file, now)
					}
					if !slices.Contains(slices.Collect(maps.Values(got)), content) && !kept[memory.SumOf([]byte(content))] && (string(lost) != content || was[file] == content) {
						t.Errorf("%s: ended with %v, and what %s held is lost", what, err, file)
					}
				}
			}
		}
	}
	fmt.Printf("TestDamagedState damaged our files in %d ways: %d ended in an error, no memory was harmed\n", tried, errs)
}

// contents returns the sums of all whole files in our state folder.
func (w *world) contents() map[memory.Sum]bool {
	sums := map[memory.Sum]bool{}
	for _, file := range w.stateFiles() {
		if data, err := os.ReadFile(file); err == nil {
			sums[memory.SumOf(data)] = true
		}
	}
	return sums
}

// The state folder is lost between two calls of a dream, as a cleaner of caches does it. The dream says so
// or goes on; nothing lands by half, and the next one begins.
func TestStateLostInADream(t *testing.T) {
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
		var half *HalfError
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
			continue // TestLostPlan tells how that goes on
		}
		w.now = w.now.Add(2 * time.Hour)
		next := w.open()
		if err := next.Begin(ctx, true, false); err != nil {
			t.Errorf("%s: the next dream: %v", at, err)
		}
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
					w.now = w.now.Add(by)
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
				if _, err := p.Undo(ctx, ""); err != nil || !same(w.files(), whole.before) {
					t.Errorf("%v at %s: undone with %v:%s", by, at, err, differences(w.files(), whole.before))
				}
			}
			w.now = w.now.Add(25 * time.Hour)
			if err := p.Begin(ctx, by < 0, false); err != nil {
				t.Errorf("%v at %s: a day later: %v", by, at, err)
			}
		}
	}
}
