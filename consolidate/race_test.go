//go:build linux

package consolidate

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
)

// outsideOf makes a folder that looks like a memory and is none of ours, and returns a look at it.
func outsideOf(t *testing.T) (dir string, look func() map[string]string) {
	dir = t.TempDir()
	for _, file := range []string{"a.md", "new.md", "deep/new.md", "MEMORY.md", lock.File, lock.HostFile} {
		p := filepath.Join(dir, file)
		os.MkdirAll(filepath.Dir(p), 0o700)
		if err := os.WriteFile(p, []byte("OUTSIDE "+file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func() map[string]string {
		files := map[string]string{}
		filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			data, _ := os.ReadFile(p)
			files[p] = fmt.Sprint(info.Mode(), info.ModTime(), string(data))
			return nil
		})
		return files
	}
}

// Somebody swaps files and folders of the memory for links that lead out, in a loop, while operations of
// all kinds go on: between each check and each use. Nothing outside changes, or is read. The swaps become
// rarer with time, so that an operation succeeds on a slow machine too.
func TestRacingLinks(t *testing.T) {
	t.Parallel()
	w := newWorldFor(t, "commit")
	outside, look := outsideOf(t)
	was := look()
	stop := make(chan struct{})
	var racers sync.WaitGroup
	swaps := make([]int, 4)
	from := time.Now()
	for i, victims := range [][]string{{"a.md", "new.md"}, {"deep"}, {lock.HostFile, lock.File}, {indexFile}} {
		racers.Go(func() {
			random := rand.New(rand.NewPCG(*seed, uint64(i)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				victim := victims[random.IntN(len(victims))]
				path, aside, link := filepath.Join(w.memory, victim), filepath.Join(w.memory, ".aside"+victim), filepath.Join(w.memory, ".link"+victim)
				os.Symlink(filepath.Join(outside, victim), link)
				os.Rename(path, aside)
				if os.Rename(link, path) == nil {
					swaps[i]++
				}
				time.Sleep(time.Duration(random.IntN(300)) * time.Microsecond)
				if os.Remove(path) != nil {
					os.Rename(path, link+"x") // no link any more: somebody put a file or folder there
				}
				os.Rename(aside, path)
				time.Sleep(time.Duration(random.IntN(12_000+20_000*i))*time.Microsecond + time.Since(from)/20)
			}
		})
	}
	reads := 0
	racers.Go(func() {
		dir, err := memory.Open(w.memory)
		if err != nil {
			t.Error(err)
			return
		}
		defer dir.Close()
		for {
			for _, file := range []string{"a.md", "new.md", "deep/new.md", indexFile} {
				n, _ := memory.ParseName(file)
				if f, err := dir.Read(n); err == nil {
					reads++
					if string(f.Data) == "OUTSIDE "+file {
						t.Errorf("%s was read from outside", file)
					}
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	landed := 0
	var failed error
	for time.Since(from) < time.Second || landed == 0 && time.Since(from) < time.Minute {
		p := Open(w.options())
		w.setNow(w.now.Add(25 * time.Hour))
		for _, operation := range []func(*Project) error{
			dreamThen(finalize),
			func(p *Project) error { return writeNew(p, "new.md") },
			func(p *Project) error { return writeNew(p, "deep/new.md") },
			func(p *Project) error { _, err := p.History.Undo(ctx, ""); return err },
		} {
			if err := operation(p); err != nil {
				failed = err
			} else {
				landed++
			}
		}
		p.Close("the round ended")
	}
	close(stop)
	racers.Wait()
	if got := look(); !same(got, was) {
		t.Errorf("what is outside changed:%s", differences(got, was))
	}
	total := 0
	for i, n := range swaps {
		if total += n; n == 0 {
			t.Errorf("racer %d never swapped anything", i)
		}
	}
	if landed == 0 || reads == 0 {
		t.Errorf("too little succeeded: %d operations, %d reads; an operation failed with: %v", landed, reads, failed)
	}
	fmt.Printf("TestRacingLinks swapped %d files and folders for links that lead out (seed %d), beside %d operations and %d reads that succeeded\n", total, *seed, landed, reads)
}

// The memory directory itself is swapped, at each step of each operation, for a link to another. The
// other is not touched; and when the directory is back, all is as after a crash.
func TestDirectorySwapped(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(script)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := runWhole(t, name)
			for step, steps := i%every(10), len(stepsOf(t, name)); step < steps; step += every(10) {
				w := newWorldFor(t, name)
				outside, look := outsideOf(t)
				was := look()
				o, n := w.options(), 0
				o.Step = func(at string) {
					if n == step {
						os.Rename(w.memory, w.memory+".aside")
						if err := os.Symlink(outside, w.memory); err != nil {
							t.Fatal(err)
						}
					}
					n++
				}
				p := Open(o)
				err := script[name].run(p)
				p.Close("the directory is elsewhere")
				what := fmt.Sprintf("%s, swapped at step %d, ended with %v", name, step, err)
				if got := look(); !same(got, was) {
					t.Errorf("%s: the other directory changed:%s", what, differences(got, was))
				}
				os.Remove(w.memory)
				if err := os.Rename(w.memory+".aside", w.memory); err != nil {
					t.Fatal(err)
				}
				w.checkRecovered(name, what, whole)
			}
		})
	}
}
