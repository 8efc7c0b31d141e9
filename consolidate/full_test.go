//go:build linux

package consolidate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/ops"
)

const page = 4096

// The disk fills up at each step of a commit, to the last page or nearly so. The commit lands, or says
// why not and the memory is untouched, or says that it is half done; and once there is room again the
// next process finds it whole.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no disk of our own can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	whole := runWhole(t, "commit")
	outcomes := map[string]int{}
	for i, at := range stepsOf(t, "commit") {
		for j, left := range []int{0, 1, 2, 5} {
			if (i+j)%every(4) != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d pages left", at, left), func(t *testing.T) {
				w := newWorldIn(t, filepath.Join(disk, "memory"), filepath.Join(disk, "state"))
				t.Cleanup(func() { os.RemoveAll(w.memory); os.RemoveAll(w.state) })
				w.stampHost("", prior)
				ballast := filepath.Join(disk, "ballast")
				t.Cleanup(func() { os.Remove(ballast) })
				o := w.options()
				o.Step = func(name string) {
					if name == at {
						fill(t, ballast, left)
					}
				}
				p := Open(o)
				err := script["commit"].run(p)
				got := w.files()
				var half *ops.HalfError
				switch {
				case errors.As(err, &half):
					outcomes["half done"]++
					next := writeNew(p, "next.md") // it recovers first
					if !errors.Is(err, syscall.ENOSPC) || next != nil && !errors.Is(next, syscall.ENOSPC) {
						t.Errorf("what a caller decides by is lost: %v; then %v", err, next)
					}
				case err == nil:
					outcomes["landed"]++
					if !same(got, whole.after) {
						t.Error("landed:", differences(got, whole.after))
					}
				case errors.Is(err, syscall.ENOSPC):
					outcomes["refused"]++
					if !same(got, whole.before) {
						t.Errorf("refused with %v, and yet:%s", err, differences(got, whole.before))
					}
				default:
					t.Errorf("ended with %v", err)
				}
				os.Remove(ballast)
				p.Close("there is room again")
				w.checkRecovered("commit", fmt.Sprintf("ended with %v", err), whole)
			})
		}
	}
	if outcomes["landed"] == 0 || outcomes["refused"] == 0 {
		t.Errorf("the disk was never full, or always: %v", outcomes)
	}
	fmt.Printf("TestDiskFull filled the disk in %d commits: %v\n", outcomes["landed"]+outcomes["refused"]+outcomes["half done"], outcomes)
}

// fill fills the disk up to a number of pages.
func fill(t *testing.T, ballast string, left int) {
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, page))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(max(0, size/page-int64(left)) * page); err != nil {
		t.Fatal(err)
	}
}

// Where no dream could begin (the state folder is full or read-only, the index is too large), status does not
// say that one is due, and doctor says what is wrong.
func TestNotDueWhereNoDreamCanBegin(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no disk of our own can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, test := range []struct {
		name, check string
		spoil       func(w *world)
	}{
		{"full", "state", func(w *world) { fill(t, filepath.Join(disk, "ballast"), 1) }},
		{"read-only", "state", func(w *world) {
			if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
		}},
		{"a read-only memory", "memory", func(w *world) {
			if err := syscall.Mount("", filepath.Dir(w.memory), "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
		}},
		{"a large index", "memory", func(w *world) { w.put("MEMORY.md", strings.Repeat("- more\n", 700_000)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			memory, state := filepath.Join(t.TempDir(), "memory"), filepath.Join(disk, "state")
			if test.name == "a read-only memory" {
				memory, state = filepath.Join(disk, "memory"), t.TempDir()
			}
			w := newWorldIn(t, memory, state)
			t.Cleanup(func() {
				syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=1m")
				os.Remove(filepath.Join(disk, "ballast"))
				os.RemoveAll(w.state)
			})
			p := w.open()
			w.mustDo(os.Chmod(w.memory, 0o700))
			if s, err := p.Status(ctx); err != nil || !s.Due {
				t.Fatalf("before: %+v, %v", s, err)
			}
			w.mustDo(p.Store.Records.Close()) // a disk with an open file does not become read-only
			test.spoil(w)
			if err := p.Begin(ctx, true, false); err == nil {
				t.Fatal("a dream began")
			}
			if s, err := p.Status(ctx); err != nil || s.Due {
				t.Errorf("due: %t, %v", s.Due, err)
			}
			checks, err := p.Doctor.Examine(ctx, false, false)
			if err != nil || !slices.ContainsFunc(checks, func(c doctor.Check) bool { return c.Name == test.check && c.State == doctor.Wrong && c.Hint != "" }) {
				t.Errorf("%+v, %v", checks, err)
			}
		})
	}
}

// A reader that cannot complete an interrupted commit says so, and shows nothing that is half landed.
func TestReadWhereNothingCanBeWritten(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no disk of our own can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	w := newWorldIn(t, filepath.Join(disk, "memory"), filepath.Join(disk, "state"))
	w.stampHost("", prior)
	w.runToDeath("commit", stepOf(t, "commit", "deleted b.md"))
	remount := func(flags uintptr, data string) {
		t.Helper()
		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|flags, data); err != nil {
			t.Fatal(err)
		}
	}
	remount(syscall.MS_RDONLY, "")
	p := w.open()
	if files, err := p.Read(ctx, []string{"a.md"}); err == nil || !strings.Contains(err.Error(), "must be completed") || !errors.Is(err, syscall.EROFS) {
		t.Errorf("read %+v, %v", files, err)
	}
	if _, diff, err := p.History.Diff(ctx, ""); err == nil {
		t.Errorf("the diff is %s", diff)
	}
	remount(0, "size=1m")
	if _, err := p.Read(ctx, []string{"a.md"}); err != nil || !same(w.files(), runWhole(t, "commit").after) {
		t.Errorf("read with %v, and the memory is %q", err, w.files())
	}
}
