package tmpfs

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Nothing is left in memory, neither by tests that ended nor by those that were killed.
func TestInMemory(t *testing.T) {
	t.Setenv("TMPDIR", "")
	dir := folder()
	if dir == "" {
		t.Skip("NOT TESTED: /dev/shm does not serve here")
	}
	os.Remove(dir)
	killed := exec.Command(os.Args[0], "-test.run=^$")
	if err := killed.Run(); err != nil {
		t.Fatal(err)
	}
	left := fmt.Sprint(prefix, killed.Process.Pid)
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	code := Run(func() int {
		if os.TempDir() != dir {
			t.Errorf("the tests have their folders in %s, not in %s", os.TempDir(), dir)
		}
		return 7
	})
	for _, gone := range []string{dir, left} {
		if _, err := os.Stat(gone); !os.IsNotExist(err) || code != 7 {
			t.Errorf("%s is left, with the exit code %d: %v", gone, code, err)
		}
	}
}

func TestExplicit(t *testing.T) {
	set := t.TempDir()
	t.Setenv("TMPDIR", set)
	Run(func() int {
		if os.TempDir() != set {
			t.Errorf("TMPDIR was %s and is %s", set, os.TempDir())
		}
		return 0
	})
}
