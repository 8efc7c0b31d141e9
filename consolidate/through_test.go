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
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
)

// readers are all that only reads the memory and its archive. Each returns what it answers.
var readers = map[string]func(p *Project) (any, error){
	"read": func(p *Project) (any, error) {
		files, err := p.Read(ctx, []string{"a.md", "b.md", "deep/new.md", "MEMORY.md"})
		var read []string
		for _, f := range files {
			read = append(read, fmt.Sprintf("%+v, missing: %t", f.ShownFile, errors.Is(f.Err, fs.ErrNotExist)))
		}
		return read, err
	},
	"lint": func(p *Project) (any, error) { return p.Lint(ctx, LintRequest{}) },
	"lint another": func(p *Project) (any, error) {
		other := Open(Options{Options: ops.Options{MemoryDir: filepath.Dir(p.Store.MemoryDir), StateHome: p.Store.StateHome, Now: p.Store.Now}})
		defer other.Store.Records.Close()
		return other.Lint(ctx, LintRequest{Dir: p.Store.MemoryDir})
	},
	"undo --list":     func(p *Project) (any, error) { return p.History.Versions(ctx, "") },
	"undo --list a":   func(p *Project) (any, error) { return p.History.Versions(ctx, "a.md") },
	"why":             func(p *Project) (any, error) { w, err := p.Sources.Why(ctx, "a"); w.History = nil; return w, err },
	"dream://last":    func(p *Project) (any, error) { return p.History.LastReport(ctx) },
	"undo's question": func(p *Project) (any, error) { _, did, err := p.History.Undoable(ctx, ""); return did, err },
	"diff":            func(p *Project) (any, error) { _, diff, err := p.History.Diff(ctx, ""); return string(diff), err },
	"grep since a dream": func(p *Project) (any, error) {
		var q search.Query
		err := p.Sessions.beginSearch(ctx, &q, SinceLastDream)
		return q.Since.UTC(), err
	},
	"log": func(p *Project) (any, error) {
		entries, err := logOf(p)
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		e := entries[len(entries)-1]
		return fmt.Sprint(e.ID, e.Outcome, e.Files, e.Summary), nil
	},
	"status --watch --once": func(p *Project) (any, error) {
		p.Store.LookOnly = true
		defer func() { p.Store.LookOnly = false }()
		snapshot, _, err := p.Watch("").Look(ctx)
		if snapshot.Last != nil {
			snapshot.Last.Ended = time.Time{} // recovery ends it later
		}
		snapshot.Events = nil
		return fmt.Sprintf("%+v %+v %s", snapshot.Dream, snapshot.Last, snapshot.ClosedGate), err
	},
	"doctor": func(p *Project) (any, error) {
		checks, err := p.Doctor.Examine(ctx, false, false)
		var read []string
		for _, c := range checks {
			if c.Name != "lock" && c.Name != "leftovers" { // it says what recovery will do
				read = append(read, fmt.Sprint(c.Name, c.State, c.Message))
			}
		}
		return read, err
	},
}

// A commit is cut off at each of its steps from the first at which it will be completed. Whoever reads first completes
// it, and gets the answer that everybody gets after that.
func TestReadThrough(t *testing.T) {
	for _, operation := range []string{"commit", "undo", "restore", "write"} {
		t.Run(operation, func(t *testing.T) { testReadThrough(t, operation) })
	}
}

func testReadThrough(t *testing.T, operation string) {
	t.Parallel()
	steps := stepsOf(t, operation)
	for at := slices.Index(steps, "mark"); at < len(steps); at += every(7) {
		t.Run(steps[at], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.putDatabase()
			w.stampHost("", prior)
			if before := script[operation].prepare; before != "" {
				w.do(before)
			}
			w.runToDeath(operation, at)
			if at%2 == 0 {
				w.put("a.md", topic("a", "project")+"\nMine.\n") // before it has landed, or after
			}
			torn := t.TempDir()
			copyTree(t, w.memory, filepath.Join(torn, "memory"))
			copyTree(t, w.state, filepath.Join(torn, "state"))
			answer := func(name string) string {
				p := w.open()
				defer p.Close("it has answered")
				answer, err := readers[name](p)
				return fmt.Sprintf("%+v %v", answer, err)
			}
			first := map[string]string{}
			for name := range readers {
				copyTree(t, filepath.Join(torn, "memory"), w.memory)
				copyTree(t, filepath.Join(torn, "state"), w.state)
				first[name] = answer(name)
			}
			p := w.open()
			if err := p.Recover(ctx); err != nil {
				t.Fatal(err)
			}
			is := w.everything()
			for name := range readers {
				if again := answer(name); again != first[name] {
					t.Errorf("%s answers\n%s\nand after recovery\n%s", name, first[name], again)
				}
				if now := w.everything(); !same(now, is) {
					t.Errorf("%s changed%s", name, differences(now, is))
				}
			}
		})
	}
}

// copyTree replaces a folder by a copy of another, with the times of its files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from)))
	if err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, p)
		info, err := e.Info()
		return errors.Join(err, os.Chtimes(filepath.Join(to, rel), info.ModTime(), info.ModTime()))
	})
}

// everything returns all files of the memory and of our state folder, but for caches and what SQLite keeps beside a
// database.
func (w *world) everything() map[string]string {
	files := map[string]string{}
	for _, root := range []string{w.memory, w.state} {
		filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), state.File+"-") && !strings.HasPrefix(e.Name(), cache.FileName) {
				data, _ := os.ReadFile(p)
				files[p] = string(memory.SumOf(data))
			}
			return nil
		})
	}
	return files
}

// What a call reads is of one moment: if another process lands changes meanwhile, it reads again.
func TestReadIsOfOneMoment(t *testing.T) {
	for _, landed := range []string{"commit", "write", "undo"} {
		w := newWorldFor(t, landed)
		p := w.open()
		var read map[string]string
		tries := 0
		unlock := p.Store.Lock()
		err := p.Store.View(ctx, func(dir *memory.Dir) error {
			read = map[string]string{}
			for i, name := range []string{"a.md", "b.md", "new.md", "MEMORY.md"} {
				if tries++; tries == i+1 && i == 1 {
					w.do(landed)
				}
				n, _ := memory.ParseName(name)
				if f, err := dir.Read(n); err == nil {
					read[name] = string(f.Data)
				}
			}
			return nil
		})
		unlock()
		now := w.files()
		for _, name := range []string{"a.md", "b.md", "new.md", "MEMORY.md"} {
			if read[name] != now[name] {
				t.Errorf("%s landed between two reads: %s is %q, want %q, %v", landed, name, read[name], now[name], err)
			}
		}
	}
}
