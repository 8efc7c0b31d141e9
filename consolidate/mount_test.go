//go:build linux

package consolidate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"dream-mcp/memory"
)

// bind mounts what lies at from over to.
func bind(t *testing.T, from, to string) {
	t.Helper()
	if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("nothing can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(to, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOENT) {
			t.Error(err)
		}
	})
}

// A memory that is a mount point (a file that a container was given) can't be replaced. That is seen
// before anything lands: half a commit that can't be carried on would stop every write.
func TestMountedFile(t *testing.T) {
	for _, file := range []string{"a.md", "b.md", indexFile} { // one is to be replaced, one deleted
		t.Run(file, func(t *testing.T) {
			w := newWorldFor(t, "commit")
			elsewhere := filepath.Join(t.TempDir(), "elsewhere.md")
			data, err := os.ReadFile(filepath.Join(w.memory, file))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(elsewhere, data, 0o600); err != nil {
				t.Fatal(err)
			}
			bind(t, elsewhere, filepath.Join(w.memory, file))
			before := w.files()
			p := w.dreaming()
			if err := finalize(p); !errors.Is(err, memory.ErrFixed) {
				t.Errorf("finalized with %v", err)
			}
			if got := w.files(); !same(got, before) {
				t.Error("the memory changed:", differences(got, before))
			}
			if s, err := p.Status(ctx); err != nil || s.Dream == nil {
				t.Errorf("the dream is no longer open: %v", err)
			}
			// What the person takes away is no longer in the way.
			if err := syscall.Unmount(filepath.Join(w.memory, file), 0); err != nil {
				t.Fatal(err)
			}
			if err := finalize(p); err != nil {
				t.Error(err)
			}
			if got, want := w.files(), runWhole(t, "commit").after; !same(got, want) {
				t.Error("landed:", differences(got, want))
			}
		})
	}
}

// The same where a person has protected a memory.
func TestImmutableFile(t *testing.T) {
	for _, mark := range []string{"i", "a"} {
		w := newWorldFor(t, "commit")
		file := filepath.Join(w.memory, "b.md")
		if out, err := exec.Command("chattr", "+"+mark, file).CombinedOutput(); err != nil {
			t.Skipf("no file can be protected here: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("chattr", "-"+mark, file).Run() })
		before := w.files()
		p := w.dreaming()
		if err := finalize(p); !errors.Is(err, memory.ErrFixed) {
			t.Errorf("+%s: finalized with %v", mark, err)
		}
		if got := w.files(); !same(got, before) {
			t.Errorf("+%s: the memory changed: %s", mark, differences(got, before))
		}
		if err := exec.Command("chattr", "-"+mark, file).Run(); err != nil {
			t.Fatal(err)
		}
		if err := finalize(p); err != nil {
			t.Errorf("+%s: finalized afterwards with %v", mark, err)
		}
	}
}

// A folder that is mounted into the memory is a part of it.
func TestMountedFolder(t *testing.T) {
	w := newWorldFor(t, "commit")
	whole := runWhole(t, "commit")
	deep, elsewhere := filepath.Join(w.memory, "deep"), t.TempDir()
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	bind(t, elsewhere, deep)
	w.do("commit")
	if got := w.files(); !same(got, whole.after) {
		t.Error("landed:", differences(got, whole.after))
	}
	if _, err := w.open().History.Undo(ctx, ""); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("%v was left there, %v", left, err)
	}
}
