//go:build unix

package said

import (
	"os"
	"syscall"
	"testing"
	"time"

	"dream-mcp/testdata/fixture"
)

// openFile refuses what took a transcript's place after it was listed.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	path := fixture.Put(t, dir, "a", "x", 1)
	if f, err := OpenFile(path); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	link, fifo := dir+"/link", dir+"/fifo"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, fifo, dir, "/dev/null", dir + "/none"} {
		done := make(chan error, 1)
		go func() {
			f, err := OpenFile(name)
			if err == nil {
				f.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%q was opened", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q: it waits", name)
		}
	}
}
