package background

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
	"dream-mcp/server/settings"
)

// maxLog bounds the log of one run.
const maxLog = 2 << 20

// runLog is the log of a background dream for a person: a line for each event, with its time. Credentials are masked.
type runLog struct {
	mu   sync.Mutex
	f    *os.File
	out  io.Writer
	size int
}

// openLog creates a log. The previous one is kept as path.1.
func openLog(path string, allowed secret.Allowed) (*runLog, error) {
	if err := os.Rename(path, path+".1"); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &runLog{f: f, out: &secret.Writer{Out: f, Allowed: allowed}}, nil
}

func (l *runLog) say(format string, args ...any) {
	const most = 2_000 // characters of one event
	text := visible.Cut(said.Visible(strings.TrimSpace(fmt.Sprintf(format, args...))), most)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > maxLog {
		return
	}
	if l.size += len(text) + 10; l.size > maxLog {
		text = "the log is cut here"
	}
	fmt.Fprintf(l.out, "%s %s\n", time.Now().Format(time.TimeOnly), strings.ReplaceAll(text, "\n", "\n         "))
}

// LogFailure logs an error of a hook, or of a supervisor before its run began. They have no other output. Doctor shows
// the last one. An error that cannot be logged is lost.
func LogFailure(state string, err error) {
	if os.MkdirAll(state, 0o700) != nil {
		return
	}
	root, openErr := memory.OpenRoot(state)
	if openErr != nil {
		return
	}
	defer root.Close()
	info, statErr := root.Lstat(settings.HookLog)
	if statErr == nil && (!info.Mode().IsRegular() || info.Size() > settings.MaxHookLog) && root.Rename(settings.HookLog, settings.HookLog+".1") != nil {
		return
	}
	f, openErr := memory.OpenRegular(root, settings.HookLog, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if openErr != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(&secret.Writer{Out: f}, "%s %s\n", time.Now().UTC().Format(time.RFC3339), clip(said.Visible(strings.ReplaceAll(err.Error(), "\n", "; "))))
}

func (l *runLog) close() error { return l.f.Close() }
