package consolidate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dream-mcp/consolidate/lock"
)

// instead lays something where a file or a folder of ours was, which is kept beside it.
func instead(lay func(path string) error) func(path string) error {
	return func(path string) error {
		if err := os.Rename(path, path+aside); err != nil {
			return err
		}
		if err := lay(path); err != nil {
			return fmt.Errorf("%w, %w", err, os.Rename(path+aside, path))
		}
		return nil
	}
}

func node(kind uint32, device int) func(path string) error {
	return instead(func(path string) error { return syscall.Mknod(path, kind|0o600, device) })
}

// others are what may lie where a file or a folder of ours was. Devices need root.
var others = map[string]func(path string) error{
	"a fifo":   node(syscall.S_IFIFO, 0),
	"a socket": node(syscall.S_IFSOCK, 0),
	"endless":  node(syscall.S_IFCHR, 1<<8|5), // /dev/zero
	"a folder": instead(func(path string) error { return os.Mkdir(path, 0o700) }),
	"full": instead(func(path string) error {
		return os.MkdirAll(filepath.Join(path, "folder"), 0o700)
	}),
	"a loop":       instead(func(path string) error { return os.Symlink(path, path) }),
	"a link out":   instead(func(path string) error { return os.Symlink("/dev/zero", path) }),
	"a link aside": instead(func(path string) error { return os.Symlink(filepath.Base(path)+aside, path) }),
}

func init() { maps.Copy(damages, others) }

// A replacement is one of a file or folder of ours, at a step of an operation.
type replacement struct {
	operation, at, with string
	step, path          int
}

func (r replacement) String() string {
	return fmt.Sprintf("%s/%d %s/%d/%s", r.operation, r.step, r.at, r.path, r.with)
}

// lockFiles are ours in the memory directory.
func (w *world) lockFiles() []string {
	return []string{filepath.Join(w.memory, lock.File), filepath.Join(w.memory, lock.HostFile)}
}

// At each step of each operation something else is laid where a file or a folder of ours is: the locks, the
// log, what is known of the dream, its plan, its contents. The operation ends, whole or without a trace,
// and says so; when the person has put back what was there, all is as after a crash.
//
// One alone, by its name: go test ./consolidate -inject 0 -run 'TestReplaced/commit/^12_plan$/^3$/a_fifo'.
func TestReplaced(t *testing.T) {
	spans, all := map[string]span{}, []replacement{}
	kinds := slices.Sorted(maps.Keys(others))
	for name := range script {
		if script[name].others {
			continue // it tries again at its end, and lands in what replaced the folder
		}
		spans[name] = runWhole(t, name)
		w, step := newWorldFor(t, name), 0
		o := w.options()
		o.Step = func(at string) {
			for path := range append(w.lockFiles(), w.ours()...) {
				// Of what may lie there one: each path meets all, at one step or another.
				all = append(all, replacement{name, at, kinds[(step+path)%len(kinds)], step, path})
			}
			step++
		}
		p := Open(o)
		if err := script[name].run(p); err != nil {
			t.Fatal(err)
		}
		p.Close("it was carried out")
	}
	tried := sample(all)
	tally := newTally(t, len(tried), len(all))
	for _, r := range tried {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			tally.add(t, r.with)
			w := newWorldFor(t, r.operation)
			victim, step := "", 0
			o := w.options()
			o.Step = func(string) {
				if step == r.step {
					victim = append(w.lockFiles(), w.ours()...)[r.path]
					if err := others[r.with](victim); err != nil {
						t.Skip(err) // a file that is not made yet, or no device may be made
					}
				}
				step++
			}
			var err error
			w.ending(r.String(), func() {
				p := Open(o)
				err = script[r.operation].run(p)
				p.Close("somebody replaces files")
			})
			what := fmt.Sprintf("%s, %s replaced, which said %v", r, strings.TrimPrefix(victim, w.state), err)
			w.checkSaid(fmt.Sprint("ended with ", err), spans[r.operation])
			putBack(t, victim)
			w.replaced = true
			w.checkRecovered(r.operation, what, spans[r.operation])
		})
	}
}

// putBack puts what was replaced in its place again; it may have gone, with all that did not land.
func putBack(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path + aside); err != nil {
		return
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+aside, path); err != nil {
		t.Fatal(err)
	}
}
