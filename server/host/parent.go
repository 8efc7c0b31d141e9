package host

import (
	"context"
	"os"
	"runtime"
	"time"
)

// defaultPoll is how often ParentGone looks by default: one system call a second.
const defaultPoll = time.Second

// ParentGone returns a channel that is closed once the process that started us is gone, which a killed host does not
// show by a closed stdin when another process holds the pipe. It looks every poll (≤ 0: every second) until ctx is done; the
// channel then stays open. It knows of no death before the call, and on Windows, where a process keeps its parent's number, of none.
func ParentGone(ctx context.Context, poll time.Duration) <-chan struct{} {
	gone := make(chan struct{})
	if runtime.GOOS == "windows" {
		return gone
	}
	if poll <= 0 {
		poll = defaultPoll
	}
	parent := os.Getppid()
	go func() {
		tick := time.NewTicker(poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					close(gone)
					return
				}
			}
		}
	}()
	return gone
}
