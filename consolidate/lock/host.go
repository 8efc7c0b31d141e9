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

// HostFile is Claude Code's lock file. We write it in the format that we found, with a modification time that is right
// for readers of the other format.
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

// near reports whether two stamps are equal at the precision that every file system and both formats have.
func (s Stamp) near(o Stamp) bool {
	return s.Exists == o.Exists && s.Time.Sub(o.Time).Abs() < 2*time.Second
}

// HostRecord is the content of Claude Code's lock file.
type HostRecord struct {
	Stamp
	PID      int  // 0: nobody holds it
	twoLines bool // the newer format
	body     []byte
	info     fs.FileInfo // nil if there is no file
}

// ReadHost reads Claude Code's lock file. It returns the zero HostRecord if there is none.
func ReadHost(root *os.Root) (HostRecord, error) {
	info, err := root.Lstat(HostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return HostRecord{}, nil
	}
	if err != nil {
		return HostRecord{}, err
	}
	if !info.Mode().IsRegular() {
		return HostRecord{}, fmt.Errorf("%s: %w", HostFile, memory.ErrNotRegular)
	}
	var body []byte
	if info.Size() > 0 {
		body, err = memory.ReadBounded(root, HostFile, memory.MaxFileBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return HostRecord{}, nil
		}
		if err != nil {
			return HostRecord{}, err
		}
	}
	n := parseHost(body, info.ModTime())
	n.info = info
	return n, nil
}

// Held reports whether, by Claude Code's protocol, another process dreams at now or finished within the last hour. A
// dream that succeeds leaves its PID in the file.
func (n HostRecord) Held(now time.Time) bool {
	return n.PID != 0 && n.PID != os.Getpid() && now.Sub(n.Time) < holderStale && processAlive(n.PID)
}

// TakeHost takes Claude Code's lock, which was free when it was read as prior: it writes our PID and reads it back. It
// fails with ErrHeld if another process was faster.
func TakeHost(dir *memory.Dir, prior HostRecord, now time.Time) error {
	if err := prior.swap(dir, prior.text(os.Getpid(), now), now); err != nil {
		return err
	}
	_, err := HeldHost(dir.Root(), os.Getpid())
	if errors.Is(err, ErrTaken) {
		err = ErrHeld
	}
	return err
}

// swap replaces the lock file in one step. It fails with ErrHeld if the file is no longer the one that was read as n:
// another process has taken or released the lock, and may already have read its PID back. swap then restores the file.
// Comparing the PIDs is not enough, since a process can take the lock with the PID that its earlier dream left.
func (n HostRecord) swap(dir *memory.Dir, text []byte, mtime time.Time) error {
	was, body, err := atomicfile.Exchange(dir.Root(), HostFile, text, mtime)
	if err != nil {
		return err
	}
	return n.restore(dir, was, body)
}

// free releases the lock that was read as n and sets the time of the last consolidation to s. If there was none, it
// removes the file. It fails as swap does.
func (n HostRecord) free(dir *memory.Dir, s Stamp) error {
	if s.Exists {
		return n.swap(dir, n.text(0, s.Time), s.Time)
	}
	was, body, err := atomicfile.Take(dir.Root(), HostFile)
	if err != nil {
		return err
	}
	return n.restore(dir, was, body)
}

// restore restores the file that we displaced, and fails with ErrHeld, if it is not the one that was read as n.
func (n HostRecord) restore(dir *memory.Dir, was fs.FileInfo, body []byte) error {
	if was == nil || n.info != nil && os.SameFile(was, n.info) && was.ModTime().Equal(n.info.ModTime()) && bytes.Equal(body, n.body) {
		return nil
	}
	return errors.Join(ErrHeld, atomicfile.Replace(dir.Root(), HostFile, body, was.ModTime()))
}

// ErrTaken reports that another process has taken Claude Code's lock over.
var ErrTaken = errors.New("another dream has taken the lock over")

// HeldHost reads Claude Code's lock. It fails with ErrTaken if process pid does not hold it.
func HeldHost(root *os.Root, pid int) (HostRecord, error) {
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
		return memory.SetTime(dir.Root(), HostFile, now)
	}
	return taken(n.swap(dir, n.text(pid, now), now))
}

// ReleaseHost releases Claude Code's lock for process pid and sets the time of the last consolidation to s. If there
// was none, it removes the file. It fails with ErrTaken, and changes nothing, if pid does not hold the lock.
func ReleaseHost(dir *memory.Dir, pid int, s Stamp) error {
	n, err := HeldHost(dir.Root(), pid)
	if err != nil {
		return err
	}
	return taken(n.free(dir, s))
}

// taken makes the error of a lock that is held one of a lock that is held no longer.
func taken(err error) error {
	if errors.Is(err, ErrHeld) {
		err = errors.Join(ErrTaken, err)
	}
	return err
}

// SetHostTime sets the time of the last consolidation to now and leaves the PID of the last dream. It fails with a
// *BusyError if the lock is held, and with ErrHeld if it was taken in this moment.
func SetHostTime(dir *memory.Dir, now time.Time) error {
	if err := HostFree(dir.Root(), now); err != nil {
		return err
	}
	n, err := ReadHost(dir.Root())
	if err != nil {
		return err
	}
	return n.swap(dir, n.text(n.PID, now), now)
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

// RestampHost changes the time of the last consolidation from one stamp to another. It changes nothing if the time is
// not from, or if somebody holds Claude Code's lock; calling it twice is safe. It reports whether the time is now to.
// The caller holds our lock.
func RestampHost(dir *memory.Dir, from, to Stamp) (done bool, err error) {
	n, err := ReadHost(dir.Root())
	switch {
	case err != nil || n.PID != 0:
		return false, err
	case n.near(to):
		return true, nil
	case !n.near(from):
		return false, nil
	}
	err = n.free(dir, to)
	if errors.Is(err, ErrHeld) {
		return false, nil
	}
	return err == nil, err
}
