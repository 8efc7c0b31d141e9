package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// HostFile is Claude Code's own lock. What we write has the format of what we found, and a modification time that is right for a
// reader of the other format.
const HostFile = ".consolidate-lock"

// holderStale is the age from which Claude Code takes the lock from a running holder (FACTS 1.6).
const holderStale = time.Hour

// Stamp is a time of the last consolidation; without Exists there was none.
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

// Same reports whether two stamps are one; times that passed through JSON differ in their location.
func (s Stamp) Same(o Stamp) bool { return s.Exists == o.Exists && s.Time.Equal(o.Time) }

// Near reports whether two stamps are one, as exact as every file system and format keeps them.
func (s Stamp) Near(o Stamp) bool {
	return s.Exists == o.Exists && s.Time.Sub(o.Time).Abs() < 2*time.Second
}

// Host is Claude Code's lock file as it was read.
type Host struct {
	Stamp
	PID      int  // 0: nobody holds it
	twoLines bool // the newer format
	body     []byte
	info     fs.FileInfo // nil where there is no file
}

// ReadHost reads Claude Code's lock file; the zero Host means that there is none.
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
	text := parseHost(body)
	n := Host{Stamp: Stamp{Exists: true, Time: info.ModTime()}, PID: text.pid, twoLines: text.twoLines, body: body, info: info}
	if text.twoLines {
		n.Time = text.time
	}
	return n, nil
}

// text returns what the file is to hold for a process (0: nobody) and a time, in the format of n.
func (n Host) text(pid int, at time.Time) []byte {
	return hostText{pid, n.twoLines, at}.bytes()
}

// Held reports whether, by Claude Code's protocol, another process dreams at now, or has just finished:
// a dream that succeeded leaves its PID in the file.
func (n Host) Held(now time.Time) bool {
	return n.PID != 0 && n.PID != os.Getpid() && now.Sub(n.Time) < holderStale && processAlive(n.PID)
}

// TakeHost writes our PID into Claude Code's lock, which was free when it was read as prior, and reads it
// back. It fails with ErrHeld where another process was faster.
func TakeHost(dir *memory.Dir, prior Host, now time.Time) error {
	if err := swapHost(dir, prior, prior.text(os.Getpid(), now), now); err != nil {
		return err
	}
	n, err := ReadHost(dir.Root())
	if err == nil && n.PID != os.Getpid() {
		err = ErrHeld
	}
	return err
}

// swapHost replaces the lock file, in one step, if it is still the file that was read as seen. If it is not, somebody
// took or released the lock since, and has perhaps read its own PID back: the file gets back what it held, and swapHost
// fails with ErrHeld. A PID does not show that: a process that dreamed before takes the lock with the PID that it left.
func swapHost(dir *memory.Dir, seen Host, text []byte, mtime time.Time) error {
	was, body, err := landing.Exchange(dir, HostFile, text, mtime)
	if err != nil || was == nil {
		return err
	}
	if seen.info != nil && os.SameFile(was, seen.info) && was.ModTime().Equal(seen.info.ModTime()) && bytes.Equal(body, seen.body) {
		return nil
	}
	return errors.Join(ErrHeld, landing.Replace(dir.Root(), HostFile, body, was.ModTime()))
}

// ErrTaken says that Claude Code has taken its lock over.
var ErrTaken = errors.New("another dream has taken the lock over")

// checkHost reads the lock. It fails with ErrTaken where process pid does not hold it.
func checkHost(root *os.Root, pid int) (Host, error) {
	n, err := ReadHost(root)
	if err == nil && n.PID != pid {
		err = ErrTaken
	}
	return n, err
}

// HoldsHost fails with ErrTaken where process pid does not hold Claude Code's lock.
func HoldsHost(root *os.Root, pid int) error {
	_, err := checkHost(root, pid)
	return err
}

// RenewHost records that the dream of process pid goes on. It fails with ErrTaken where the lock is no longer its own.
func RenewHost(dir *memory.Dir, pid int, now time.Time) error {
	n, err := checkHost(dir.Root(), pid)
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

// ReleaseHost ends the hold of process pid on Claude Code's lock and leaves s as the time of the
// last consolidation: the file is removed where there is none. A lock of another process is not touched.
func ReleaseHost(root *os.Root, pid int, s Stamp) error {
	n, err := checkHost(root, pid)
	if err != nil {
		return err
	}
	if !s.Exists {
		return root.Remove(HostFile)
	}
	return n.Set(root, 0, s.Time)
}

// Set sets holder and time of the last consolidation in one step, so that no crash leaves one without the other.
func (n Host) Set(root *os.Root, pid int, at time.Time) error {
	return landing.Replace(root, HostFile, n.text(pid, at), at)
}

// HostFree returns nil where nobody holds Claude Code's lock at now, and a *BusyError where somebody does.
func HostFree(root *os.Root, now time.Time) error {
	n, err := ReadHost(root)
	if err == nil && n.Held(now) {
		err = &BusyError{Native: true, Holder: fmt.Sprintf("Claude Code's process %d dreams, or has finished within the hour (lock of %s)", n.PID, n.Stamp)}
	}
	return err
}

// HostHolder says who holds Claude Code's lock at now; "" for nobody.
func HostHolder(root *os.Root, now time.Time) string {
	var busy *BusyError
	if errors.As(HostFree(root, now), &busy) {
		return busy.Holder
	}
	return ""
}

// RestampHost changes the time of the last consolidation from one stamp to another, under our lock. It changes nothing where the time
// is another, or somebody holds the lock; to do it twice does no harm. It reports whether the time is now to.
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
