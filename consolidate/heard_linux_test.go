package consolidate

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What lies in the place of the list is not waited on: a hook has to answer.
func TestHeardInAFifo(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if _, err := p.Status(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.Heard(context.Background(), "s", "event", false)
	path := filepath.Join(p.StateDir(), heardFile)
	if err := syscall.Unlink(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	answered := make(chan bool)
	go func() { answered <- p.Heard(context.Background(), "s", "event", false) }()
	select {
	case again := <-answered:
		if again {
			t.Error("heard again")
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits")
	}
}
