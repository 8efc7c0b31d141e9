//go:build unix

package install

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dream-mcp/server/settings"
)

// TestLockInAFifo opens the lock with a fifo in its place, which would block beyond any signal.
func TestLockInAFifo(t *testing.T) {
	i := installer(t.TempDir())
	state, err := settings.StateHome(i.Env)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(state, "install.lock")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		if unlock, err := i.lock(context.Background()); err == nil {
			unlock()
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it waits")
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil { // which ends that
			f.Close()
		}
	}
}
