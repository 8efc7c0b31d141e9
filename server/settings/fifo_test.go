//go:build unix

package settings

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestFifos has a fifo in the place of each file that is read.
func TestFifos(t *testing.T) {
	env, top := world(t, "CLAUDECODE=1", "home/p/.git/worktrees/w/", "home/.claude/projects/", "home/p/.claude/", "managed/", "xdg/config/dream-mcp/",
		`home/p/.claude/settings.local.json => {"autoMemoryEnabled":true}`)
	for _, name := range []string{"home/.claude/settings.json", "home/.claude.json", "home/p/.claude/settings.json", "managed/managed-settings.json",
		"managed/managed-settings.d", "xdg/config/dream-mcp/config.json", "home/p/.git/worktrees/w/gitdir"} {
		if err := syscall.Mkfifo(filepath.Join(top, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		s, err := Resolve(env, NoFlags)
		if n := len(s.Warnings); n < 5 {
			t.Errorf("%d warnings: %q", n, s.Warnings)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("held up")
	}
}
