package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"dream-mcp/memory"
)

// nativeFile is Claude Code's own lock (FACTS 1.6, 9). Its body is the PID of who dreams, or empty;
// its mtime the time of the last consolidation.
const nativeFile = ".consolidate-lock"

// holderStale is the age from which Claude Code takes the lock from a living holder (FACTS 1.6).
const holderStale = time.Hour

// stamp is a time of the last consolidation; without Exists there was none.
type stamp struct {
	Exists bool      `json:"exists"`
	Time   time.Time `json:"time,omitzero"`
}

func (s stamp) String() string {
	if !s.Exists {
		return "never"
	}
	return s.Time.UTC().Format(time.RFC3339)
}

// native is Claude Code's lock file as it was read.
type native struct {
	stamp
	body string
	pid  int // 0: the body names nobody
}

func readNative(root *os.Root) (native, error) {
	info, err := root.Lstat(nativeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return native{}, nil
	}
	if err != nil {
		return native{}, err
	}
	n := native{stamp: stamp{Exists: true, Time: info.ModTime()}}
	if !info.Mode().IsRegular() {
		return native{}, fmt.Errorf("%s: %w", nativeFile, memory.ErrNotRegular)
	}
	if info.Size() == 0 {
		return n, nil
	}
	body, err := memory.ReadBounded(root, nativeFile, memory.MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return native{}, nil
	}
	if err != nil {
		return native{}, err
	}
	n.body = strings.TrimSpace(string(body))
	n.pid = leadingInteger(n.body)
	return n, nil
}

// leadingInteger reads a PID as Claude Code does: the digits that the body begins with.
func leadingInteger(s string) int {
	end := 0
	for end < len(s) && end < 10 && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	pid, _ := strconv.Atoi(s[:end])
	return pid
}

// held reports whether, by Claude Code's protocol, somebody else dreams at now, or has just finished:
// a dream that succeeded leaves its PID in the body.
func (n native) held(now time.Time) bool {
	return n.pid != 0 && n.pid != os.Getpid() && now.Sub(n.Time) < holderStale && processAlive(n.pid)
}

// takeNative writes our PID into Claude Code's lock, which was seen as prior and free, and reads it
// back. It fails with errHeld where somebody else was faster: who took the lock since it was seen, and
// has perhaps read its own PID back, is displaced and known in one step, and gets it back.
func takeNative(dir *memory.Dir, prior native, now time.Time) error {
	displaced, err := dir.Exchange(nativeFile, []byte(strconv.Itoa(os.Getpid())), now)
	if err != nil {
		return err
	}
	body := strings.TrimSpace(string(displaced))
	taker := native{stamp: stamp{Exists: true, Time: now}, body: body, pid: leadingInteger(body)}
	if taker.pid != prior.pid && taker.held(now) {
		return errors.Join(errHeld, writeNative(dir.Root(), body, now))
	}
	return checkTaken(dir.Root())
}

func checkTaken(root *os.Root) error {
	n, err := readNative(root)
	if err == nil && n.pid != os.Getpid() {
		err = errHeld
	}
	return err
}

// renewNative says that the dream goes on. It fails with errLost where the lock is no longer ours.
func renewNative(root *os.Root, pid int, now time.Time) error {
	if err := checkNative(root, pid); err != nil {
		return err
	}
	return memory.Touch(root, nativeFile, now)
}

// errLost says that Claude Code has taken its lock over.
var errLost = errors.New("another dream has taken the lock over")

func checkNative(root *os.Root, pid int) error {
	n, err := readNative(root)
	if err == nil && n.pid != pid {
		err = errLost
	}
	return err
}

// releaseNative ends the hold of process pid on Claude Code's lock and leaves s as the time of the
// last consolidation: removed where there is none. A lock that is no longer ours is not touched.
func releaseNative(root *os.Root, pid int, s stamp) error {
	if err := checkNative(root, pid); err != nil {
		return err
	}
	if !s.Exists {
		return root.Remove(nativeFile)
	}
	return writeNative(root, "", s.Time)
}

// writeNative sets body and mtime in one step, so that no crash leaves one without the other.
func writeNative(root *os.Root, body string, mtime time.Time) error {
	return memory.Replace(root, nativeFile, []byte(body), mtime)
}

// same reports whether two stamps are one; times that passed through JSON differ in their location.
func (s stamp) same(o stamp) bool { return s.Exists == o.Exists && s.Time.Equal(o.Time) }
