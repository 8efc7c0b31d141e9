package lock

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

// Claude Code takes its lock at a random moment of what we do with it. If it reads its PID back, it keeps the lock.
func TestHostKeepsWhatItReadBack(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("NOT TESTED: sh is missing")
	}
	at := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	stamp := Stamp{Exists: true, Time: at}
	for name, do := range map[string]func(*memory.Dir) error{
		"restamp to never": func(dir *memory.Dir) error { _, err := RestampHost(dir, stamp, Stamp{}); return err },
		"restamp": func(dir *memory.Dir) error {
			_, err := RestampHost(dir, stamp, Stamp{Exists: true, Time: at.Add(-time.Hour)})
			return err
		},
		"release to never": func(dir *memory.Dir) error { return ReleaseHost(dir, 0, Stamp{}) },
		"release":          func(dir *memory.Dir) error { return ReleaseHost(dir, 0, stamp) },
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, HostFile)
		dir, err := memory.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		cmd := exec.Command("sh", "-c", `echo $$; while read line; do printf $$ >"$0"; got=; read got <"$0"; echo "$got"; done`, file)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan()
		pid := lines.Text()
		for range 500 {
			os.WriteFile(file, nil, 0o600)
			os.Chtimes(file, at, at)
			fmt.Fprintln(in)
			err := do(dir)
			lines.Scan()
			body, _ := os.ReadFile(file)
			if lines.Text() == pid && strings.TrimSpace(string(body)) != pid {
				t.Errorf("%s: Claude Code has read its PID back, and the lock is %q; %v", name, body, err)
				break
			}
			if err != nil && !errors.Is(err, ErrTaken) {
				t.Fatal(name, err)
			}
		}
		in.Close()
		cmd.Wait()
	}
}
