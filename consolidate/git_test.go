//go:build unix

package consolidate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

// While git hangs, nobody has to wait for it who wants the mutex.
func TestGitWithoutMutex(t *testing.T) {
	code, bin := t.TempDir(), t.TempDir()
	started := filepath.Join(bin, "started")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, err := range []error{
		os.WriteFile(filepath.Join(code, "main.go"), nil, 0o600),
		os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho $$ >"+started+"\nexec sleep 60\n"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	gone := topic("a", "project") + "It is in `src/gone.go`.\n"
	for call, do := range map[string]func(p *Project) error{
		"map":    func(p *Project) error { _, err := p.Map(ctx, false); return err },
		"review": func(p *Project) error { _, err := p.Proposals.Reviews(ctx); return err },
		"lint":   func(p *Project) error { _, err := p.Lint(ctx, LintRequest{}); return err },
		"write": func(p *Project) error {
			_, err := p.Write(ctx, WriteRequest{Path: "new.md", Content: &gone})
			return err
		},
	} {
		w := newWorld(t)
		w.put("a.md", gone)
		o := w.options()
		o.ProjectDir = code
		p := Open(o)
		w.hold(p, w.change("a.md", memory.SumOf([]byte(gone)), []byte(gone+"More.\n")))
		w.mustDo(p.Begin(ctx, true, false))
		ended := make(chan error)
		go func() { ended <- do(p) }()
		git := ""
		for git == "" {
			select {
			case err := <-ended:
				t.Fatalf("%s did not run git: %v", call, err)
			case <-time.After(time.Millisecond):
				data, _ := os.ReadFile(started)
				git = strings.TrimSpace(string(data))
			}
		}
		w.mustDo(os.Remove(started))
		p.Store.Lock()()
		if exec.Command("kill", "-0", git).Run() != nil {
			t.Errorf("%s holds the mutex until git has ended", call)
		}
		w.mustDo(<-ended)
		w.mustDo(p.Close("the test ended"))
	}
}
