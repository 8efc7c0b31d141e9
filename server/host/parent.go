package host

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

// maxAncestors is how far SharesParent looks: hosts start a hook by a shell or two.
const maxAncestors = 4

// SharesParent reports whether the process that started pid is an ancestor of this one. It is known on Linux alone.
func SharesParent(pid int) bool {
	parent := parentOf(pid)
	for at, n := os.Getppid(), 0; parent > 1 && at > 1 && n < maxAncestors; at, n = parentOf(at), n+1 {
		if at == parent {
			return true
		}
	}
	return false
}

// parentOf returns the number of a process's parent; 0 where it is not known.
func parentOf(pid int) (parent int) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var state string
	fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent) // its name may hold anything
	return parent
}
