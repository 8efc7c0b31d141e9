package consolidate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dream-mcp/consolidate/left"
	"dream-mcp/memory"
)

// What lies in the place of a file of the hook's or its supervisor's, or of another project's note, is not waited on: a
// hook has to answer, and a supervisor that hangs is noticed by nobody.
func TestFifoIsNotWaitedOn(t *testing.T) {
	for file, ask := range map[string]func(*Project) error{
		"state.db": func(p *Project) error {
			p.Store.Records.Close() // as in a new process
			if first, err := p.Background.Claim(true); first || err == nil {
				return fmt.Errorf("it offers: %w", err)
			}
			return nil
		},
		"../other/left.json": func(p *Project) error {
			left.Alike(p.Store, &memory.Snapshot{})
			return nil
		},
		"background.lock": func(p *Project) error {
			if _, err := p.Gates.BeginRun(context.Background()); !errors.Is(err, memory.ErrNotRegular) {
				return fmt.Errorf("it begins, or %w", err)
			}
			return nil
		},
	} {
		t.Run(file, func(t *testing.T) {
			p := newWorld(t).open()
			if _, err := p.Status(context.Background()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(p.Store.Records.StateDir(), file)
			os.Remove(path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
			answered := make(chan error)
			go func() { answered <- ask(p) }()
			select {
			case err := <-answered:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Error("it waits")
				if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil { // which ends that
					f.Close()
				}
				<-answered
			}
		})
	}
}
