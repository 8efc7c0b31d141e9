package ops

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"dream-mcp/memory"
)

// foldingDisk mounts a file system that folds cases: NTFS as its users have it.
func foldingDisk(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return t.TempDir() // it may be one by itself
	}
	image, disk := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 32<<20)); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"mkntfs", "-q", "-F", "-f", image}, {"lowntfs-3g", "-o", "ignore_case", image, disk}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED on a file system that folds cases (apt-get install ntfs-3g, and root): %s: %v: %s", command[0], err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return disk
}

// Where the file system folds cases, a memory is not to be had under another spelling than its own: the
// rules would take it for another memory, and its loss for none.
func TestFoldingDisk(t *testing.T) {
	disk := foldingDisk(t)
	if err := os.Mkdir(filepath.Join(disk, "memory"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := memory.Open(filepath.Join(disk, "memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, file := range []string{"role.md", "team/role.md"} {
		os.Mkdir(filepath.Join(dir.Path(), "team"), 0o700)
		if err := os.WriteFile(filepath.Join(dir.Path(), file), []byte("the role"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir.Path(), "ROLE.md")); err != nil {
		t.Skip("NOT TESTED: this file system does not fold cases: ", err)
	}
	s := world{t: t, path: dir.Path(), folder: t.TempDir(), dir: dir}.stage()
	base := memory.SumOf([]byte("the role")).Short()
	for _, other := range []string{"Role.md", "ROLE.md", "team/Role.md", "Team/role.md"} {
		n := mustName(t, other)
		_, deleted := s.Write(n, base, nil, nil)
		_, replaced := s.Write(n, base, []byte("another"), nil)
		_, created := s.Write(n, "", []byte("another"), nil)
		restored := s.Restore(n, []byte("another"), time.Time{})
		for what, err := range map[string]error{"deleted": deleted, "replaced": replaced, "created": created, "restored": restored} {
			var twin *memory.TwinError
			if !errors.As(err, &twin) {
				t.Errorf("%s %s: %v", other, what, err)
			}
		}
	}
	for _, own := range []string{"role.md", "team/role.md"} {
		if _, err := s.Write(mustName(t, own), base, []byte("mine"), nil); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
	if _, err := s.Write(mustName(t, "new.md"), "", []byte("new"), nil); err != nil {
		t.Error(err)
	}
	if len(s.Changes) != 3 {
		t.Errorf("staged: %v", s.Changes)
	}
}

// Two spellings that are both there are two memories, though they be one file.
func TestBothSpellings(t *testing.T) {
	dir, err := memory.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.WriteFile(filepath.Join(dir.Path(), "role.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir.Path(), "role.md"), filepath.Join(dir.Path(), "ROLE.md")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir.Path(), "ROLE.MD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := world{t: t, path: dir.Path(), folder: t.TempDir(), dir: dir}.stage()
	for _, spelling := range []string{"role.md", "ROLE.md"} {
		if _, err := s.Write(mustName(t, spelling), string(memory.SumOf(nil)), []byte("mine"), nil); err != nil {
			t.Error(err)
		}
	}
	var twin *memory.TwinError
	if _, err := s.Write(mustName(t, "Role.md"), "", []byte("new"), nil); !errors.As(err, &twin) {
		t.Error(err)
	}
}
