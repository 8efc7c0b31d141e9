package install

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of a host's own command.
const (
	runTime   = 60 * time.Second // Node programs take seconds to start on a busy machine
	runOutput = 2000             // bytes, of which an error quotes the last line
)

// available is the command, with its program found, or nil. Of a Windows batch file nothing is: its
// interpreter reads arguments by rules of its own.
func available(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".cmd", ".bat":
		return nil
	}
	return command
}

// run runs a host's own command in the home directory, where no project's settings count.
func run(ctx context.Context, dir string, command []string) error {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("it did not end within %v", runTime)
	}
	if lines := strings.Split(strings.TrimSpace(string(said)), "\n"); err != nil && lines[len(lines)-1] != "" {
		return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return err
}

// tail keeps the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p[max(0, len(p)-runOutput):]...)
	*t = (*t)[max(0, len(*t)-runOutput):]
	return len(p), nil
}
