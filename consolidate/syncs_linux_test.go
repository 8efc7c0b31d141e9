package consolidate

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A single write syncs at most 14 times, and a landing or an undo of 40 files at most 60 times: on some systems each sync
// flushes the whole disk.
func TestSyncs(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("there is no strace: %v", err)
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, os.Args[0], "-test.run=^$").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	syncs := func(w *world, operation string) int {
		t.Helper()
		said, log := w.trace(strace, operation, "fsync,?fdatasync,?syncfs,?sync")
		if said != "ended with <nil>" {
			t.Fatalf("%s: %s", operation, said)
		}
		n := strings.Count(log, "sync(")
		t.Logf("%s: %d", operation, n)
		return n
	}
	w := newWorld(t)
	for _, operation := range []string{"new", "change", "again"} {
		if n := syncs(w, operation); n < 1 || n > 14 {
			t.Errorf("%s syncs %d times, want at most 14", operation, n)
		}
	}
	forty := func() *world {
		w := newWorld(t)
		for i := range 40 {
			w.put(fmt.Sprintf("topic%d.md", i), topic(fmt.Sprintf("topic%d", i), "project"))
		}
		return w
	}
	staged := syncs(forty(), "stage")
	w = forty()
	if n := syncs(w, "land") - staged; n < 1 || n > 60 {
		t.Errorf("a landing of 40 files syncs %d times, want at most 60", n)
	}
	if n := syncs(w, "undo"); n < 1 || n > 60 {
		t.Errorf("an undo of 40 files syncs %d times, want at most 60", n)
	}
}
