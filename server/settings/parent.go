package settings

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"time"
)

// defaultPoll is how often ParentGone looks by default: one system call a second.
const defaultPoll = time.Second

// ParentGone returns a channel that is closed when the process that started us ends. The end of stdin does not show
// that if another process holds the pipe. It polls at an interval (≤ 0: a second) until ctx is done; then the channel
// stays open. It does not notice an end before the call nor, because a process keeps its parent's ID there, any end on
// Windows.
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

// maxAncestors bounds SharesParent: hosts start a hook through a shell or two.
const maxAncestors = 4

// SharesParent reports whether the process that started pid is an ancestor of this one; false except on Linux.
func SharesParent(pid int) bool {
	parent := parentOf(pid)
	for at, n := os.Getppid(), 0; parent > 1 && at > 1 && n < maxAncestors; at, n = parentOf(at), n+1 {
		if at == parent {
			return true
		}
	}
	return false
}

// parentOf returns the ID of a process's parent; 0 if unknown.
func parentOf(pid int) (parent int) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var state string
	fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent) // the name before may hold anything
	return parent
}
