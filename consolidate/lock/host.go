package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// HostFile is Claude Code's lock file. We write it in the format that we found, with a modification time that is right for
// readers of the other format.
const HostFile = ".consolidate-lock"

// holderStale is the age at which Claude Code takes the lock over from a running holder: an hour in 2.1.330.
const holderStale = time.Hour

// Stamp is a time of the last consolidation. If Exists is false, there was none.
type Stamp struct {
	Exists bool      `json:"exists"`
	Time   time.Time `json:"time,omitzero"`
}

func (s Stamp) String() string {
	if !s.Exists {
		return "never"
	}
	return s.Time.UTC().Format(time.RFC3339)
}

// Same reports whether two stamps are equal. Unlike ==, it ignores the location of a time.
func (s Stamp) Same(o Stamp) bool { return s.Exists == o.Exists && s.Time.Equal(o.Time) }

// clockSlack is how far in the future a time may be that another machine set.
const clockSlack = 5 * time.Minute

// Future reports whether s is so far in the future that a clock must be wrong.
func (s Stamp) Future(now time.Time) bool { return s.Exists && s.Time.Sub(now) > clockSlack }

// Near reports whether two stamps are equal at the precision that every file system and both formats have.
func (s Stamp) Near(o Stamp) bool {
	return s.Exists == o.Exists && s.Time.Sub(o.Time).Abs() < 2*time.Second
}

// Host is the content of Claude Code's lock file.
type Host struct {
	Stamp
	PID      int  // 0: nobody holds it
	twoLines bool // the newer format
	body     []byte
	info     fs.FileInfo // nil if there is no file
}

// ReadHost reads Claude Code's lock file. It returns the zero Host if there is none.
func ReadHost(root *os.Root) (Host, error) {
	info, err := root.Lstat(HostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Host{}, nil
	}
	if err != nil {
		return Host{}, err
	}
	if !info.Mode().IsRegular() {
		return Host{}, fmt.Errorf("%s: %w", HostFile, memory.ErrNotRegular)
	}
	var body []byte
	if info.Size() > 0 {
		body, err = memory.ReadBounded(root, HostFile, memory.MaxFileBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return Host{}, nil
		}
		if err != nil {
			return Host{}, err
		}
	}
	n := parseHost(body, info.ModTime())
	n.info = info
	return n, nil
}

// Held reports whether, by Claude Code's protocol, another process dreams at now or finished within the last hour. A dream
// that succeeds leaves its PID in the file.
func (n Host) Held(now time.Time) bool {
	return n.PID != 0 && n.PID != os.Getpid() && now.Sub(n.Time) < holderStale && processAlive(n.PID)
}

// TakeHost takes Claude Code's lock, which was free when it was read as prior: it writes our PID and reads it back. It fails
// with ErrHeld if another process was faster.
func TakeHost(dir *memory.Dir, prior Host, now time.Time) error {
	if err := swapHost(dir, prior, prior.text(os.Getpid(), now), now); err != nil {
		return err
	}
	_, err := HeldHost(dir.Root(), os.Getpid())
	if errors.Is(err, ErrTaken) {
		err = ErrHeld
	}
	return err
}

// swapHost replaces the lock file in one step if it is still the file that was read as seen. If not, another process took or
// released the lock and may already have read its PID back: swapHost restores the file and fails with ErrHeld. Comparing the
// PIDs is not enough, since a process can take the lock with the PID that its earlier dream left.
func swapHost(dir *memory.Dir, seen Host, text []byte, mtime time.Time) error {
	was, body, err := atomicfile.Exchange(dir.Root(), HostFile, text, mtime)
	if err != nil || was == nil {
		return err
	}
	if seen.info != nil && os.SameFile(was, seen.info) && was.ModTime().Equal(seen.info.ModTime()) && bytes.Equal(body, seen.body) {
		return nil
	}
	return errors.Join(ErrHeld, atomicfile.Replace(dir.Root(), HostFile, body, was.ModTime()))
}

// ErrTaken reports that another process has taken Claude Code's lock over.
var ErrTaken = errors.New("another dream has taken the lock over")

// HeldHost reads Claude Code's lock. It fails with ErrTaken if process pid does not hold it.
func HeldHost(root *os.Root, pid int) (Host, error) {
	n, err := ReadHost(root)
	if err == nil && n.PID != pid {
		err = ErrTaken
	}
	return n, err
}

// RenewHost renews Claude Code's lock for process pid. It fails with ErrTaken if pid does not hold it.
func RenewHost(dir *memory.Dir, pid int, now time.Time) error {
	n, err := HeldHost(dir.Root(), pid)
	if err != nil {
		return err
	}
	if !n.twoLines {
		return memory.Touch(dir.Root(), HostFile, now)
	}
	err = swapHost(dir, n, n.text(pid, now), now)
	if errors.Is(err, ErrHeld) {
		err = errors.Join(ErrTaken, err)
	}
	return err
}

// ReleaseHost releases Claude Code's lock for process pid and sets the time of the last consolidation to s. If there was
// none, it removes the file. It does not touch a lock that pid does not hold.
func ReleaseHost(root *os.Root, pid int, s Stamp) error {
	n, err := HeldHost(root, pid)
	if err != nil {
		return err
	}
	if !s.Exists {
		return root.Remove(HostFile)
	}
	return n.Set(root, 0, s.Time)
}

// Set sets the holder and the time of the last consolidation in one step.
func (n Host) Set(root *os.Root, pid int, at time.Time) error {
	return atomicfile.Replace(root, HostFile, n.text(pid, at), at)
}

// HostFree fails with a *BusyError if Claude Code's lock is held at now.
func HostFree(root *os.Root, now time.Time) error {
	n, err := ReadHost(root)
	if err == nil && n.Held(now) {
		err = &BusyError{Host: true, Holder: fmt.Sprintf("Claude Code's process %d dreams, or finished within the last hour (lock of %s)", n.PID, n.Stamp)}
	}
	return err
}

// HostHolder describes the holder of Claude Code's lock at now; "" if nobody holds it.
func HostHolder(root *os.Root, now time.Time) string {
	if busy, ok := errors.AsType[*BusyError](HostFree(root, now)); ok {
		return busy.Holder
	}
	return ""
}

// RestampHost changes the time of the last consolidation from one stamp to another. It changes nothing if the time is not
// from, or if somebody holds Claude Code's lock; calling it twice is safe. It reports whether the time is now to. The caller
// holds our lock.
func RestampHost(dir *memory.Dir, from, to Stamp) (done bool, err error) {
	n, err := ReadHost(dir.Root())
	switch {
	case err != nil || n.PID != 0:
		return false, err
	case n.Near(to):
		return true, nil
	case !n.Near(from):
		return false, nil
	case !to.Exists:
		err = dir.Root().Remove(HostFile)
	default:
		err = swapHost(dir, n, n.text(0, to.Time), to.Time)
	}
	if errors.Is(err, ErrHeld) {
		return false, nil
	}
	return err == nil, err
}
