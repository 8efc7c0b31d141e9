//go:build unix

package drift

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeGit puts a shell script in the place of git. It returns a function that waits until the script, or what it
// started, has written its process to a file.
func fakeGit(t *testing.T, script string) (started func() (process string)) {
	t.Helper()
	bin := t.TempDir()
	file := filepath.Join(bin, "started")
	script = strings.ReplaceAll(script, "HANG", "sh -c 'echo $$ >"+file+"; exec sleep 60'")
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func() string {
		for {
			if process, _ := os.ReadFile(file); len(process) > 0 {
				t.Cleanup(func() { exec.Command("kill", strings.TrimSpace(string(process))).Run() })
				return strings.TrimSpace(string(process))
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func runs(process string) bool { return exec.Command("kill", "-0", process).Run() == nil }

// What git has started may outlive it, and have its output.
func TestGitLeavesAChild(t *testing.T) {
	p := open(t, "a.go|a")
	started := fakeGit(t, "HANG & sleep 60")
	refs(p, "It is in `src/gone.go`.")
	if !runs(started()) {
		t.Error("it waited for what git had started")
	}
}

// Without git nothing is reported that depends on it, and nobody waits for it.
func TestWithGit(t *testing.T) {
	const text = "It is in `src/gone.go`, `src/never.go` and `make sim`."
	p := open(t, "a.go|a", "Makefile|build:\n\tx\n", "pkg/never.go|x")
	commit(t, p, "src/gone.go|1", "Makefile|sim:\n\tx\n", "pkg/src/x|")
	quiet := p.WithGit(false)
	if got := refs(quiet, text); got != "" || quiet.Checked().Never > 0 {
		t.Errorf("before git was asked: %q, %+v", got, quiet.Checked())
	}
	want := refs(p, text)
	if got := refs(quiet, text); got != want || strings.Count(got, "commit") != 2 || quiet.Checked().Never != 1 {
		t.Errorf("after: %q, %+v, want %q", got, quiet.Checked(), want)
	}
	if got := refs(quiet, text+" Do not use `make all`."); got != want || quiet.Checked().Never != 1 {
		t.Errorf("what was not asked: %q, %+v", got, quiet.Checked())
	}
	started := fakeGit(t, "HANG")
	asked := make(chan string)
	go func() { asked <- refs(p, text+" Do not use `make all`.") }()
	process := started()
	if got := refs(quiet, text); got != want || !runs(process) {
		t.Errorf("while git hangs: %q, git runs: %v", got, runs(process))
	}
	if got := <-asked; got != want || p.Checked().Never != 1 || !p.Checked().Limited {
		t.Errorf("git does not answer: %q, %+v", got, p.Checked())
	}
}
