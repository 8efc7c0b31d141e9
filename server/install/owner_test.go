//go:build unix

package install

import (
	"dream-mcp/consolidate/host"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwner installs as root into another user's home. All files and folders belong to that user afterwards: the file,
// its backup, new folders, our lock and config.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can install for somebody else")
	}
	const person = 12345
	home := t.TempDir()
	file := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"mcpServers": {"x": {}}}`), 0o640); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	each := func(do func(path string, uid int)) {
		t.Helper()
		err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil {
				do(path, int(info.Sys().(*syscall.Stat_t).Uid))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	each(func(path string, _ int) {
		if err := os.Chown(path, person, person); err != nil {
			t.Fatal(err)
		}
	})
	i := installer(home)
	for _, id := range []string{"cursor", "claude-desktop", "claude-code"} {
		h := host.Find(id)
		parts, err := i.Parts(h, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if done, err := i.Apply(t.Context(), p); err != nil || !done.Changed {
				t.Errorf("%s, %s: %+v, %v", id, p.Name, done, err)
			}
		}
	}
	if _, err := i.Set(t.Context(), filepath.Join(home, ".config", "dream-mcp", "config.json"), []string{"mode"}, "auto"); err != nil {
		t.Error(err)
	}
	files := 0
	each(func(path string, uid int) {
		files++
		if uid != person {
			t.Errorf("%s belongs to %d", path, uid)
		}
	})
	if files < 15 {
		t.Errorf("only %d files: the test looks at too little", files)
	}
}
