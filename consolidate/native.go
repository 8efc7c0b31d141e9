package consolidate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dream-mcp/consolidate/hostlock"
	"dream-mcp/memory"
)

// nativeFile is Claude Code's own lock. Package hostlock documents its two formats. What we write has the format of what we
// found, and a modification time that is right for a reader of the other one.
const nativeFile = hostlock.Name

// holderStale is the age from which Claude Code takes the lock from a running holder (FACTS 1.6).
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

// same reports whether two stamps are one; times that passed through JSON differ in their location.
func (s stamp) same(o stamp) bool { return s.Exists == o.Exists && s.Time.Equal(o.Time) }

// native is Claude Code's lock file as it was read.
type native struct {
	stamp
	pid      int  // 0: nobody holds it
	twoLines bool // the newer format
	body     []byte
	info     fs.FileInfo // nil where there is no file
}

func readNative(root *os.Root) (native, error) {
	info, err := root.Lstat(nativeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return native{}, nil
	}
	if err != nil {
		return native{}, err
	}
	if !info.Mode().IsRegular() {
		return native{}, fmt.Errorf("%s: %w", nativeFile, memory.ErrNotRegular)
	}
	var body []byte
	if info.Size() > 0 {
		body, err = memory.ReadBounded(root, nativeFile, memory.MaxFileBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return native{}, nil
		}
		if err != nil {
			return native{}, err
		}
	}
	text := hostlock.Parse(body)
	n := native{stamp: stamp{Exists: true, Time: info.ModTime()}, pid: text.PID, twoLines: text.TwoLines, body: body, info: info}
	if text.TwoLines {
		n.Time = text.Time
	}
	return n, nil
}

// text returns what the file is to hold for a process (0: nobody) and a time, in the format of n.
func (n native) text(pid int, at time.Time) []byte {
	return hostlock.Text{PID: pid, TwoLines: n.twoLines, Time: at}.Bytes()
}

// held reports whether, by Claude Code's protocol, another process dreams at now, or has just finished:
// a dream that succeeded leaves its PID in the file.
func (n native) held(now time.Time) bool {
	return n.pid != 0 && n.pid != os.Getpid() && now.Sub(n.Time) < holderStale && processAlive(n.pid)
}

// takeNative writes our PID into Claude Code's lock, which was free when it was read as prior, and reads it
// back. It fails with errHeld where another process was faster.
func takeNative(dir *memory.Dir, prior native, now time.Time) error {
	if err := swapNative(dir, prior, prior.text(os.Getpid(), now), now); err != nil {
		return err
	}
	n, err := readNative(dir.Root())
	if err == nil && n.pid != os.Getpid() {
		err = errHeld
	}
	return err
}

// swapNative replaces the lock file, in one step, if it is still the file that was read as seen. If it is not, somebody
// took or released the lock since, and has perhaps read its own PID back: the file gets back what it held, and swapNative
// fails with errHeld. A PID does not show that: a process that dreamed before takes the lock with the PID that it left.
func swapNative(dir *memory.Dir, seen native, text []byte, mtime time.Time) error {
	was, body, err := dir.Exchange(nativeFile, text, mtime)
	if err != nil || was == nil {
		return err
	}
	if seen.info != nil && os.SameFile(was, seen.info) && was.ModTime().Equal(seen.info.ModTime()) && bytes.Equal(body, seen.body) {
		return nil
	}
	return errors.Join(errHeld, memory.Replace(dir.Root(), nativeFile, body, was.ModTime()))
}

// errLost says that Claude Code has taken its lock over.
var errLost = errors.New("another dream has taken the lock over")

// checkNative reads the lock. It fails with errLost where process pid does not hold it.
func checkNative(root *os.Root, pid int) (native, error) {
	n, err := readNative(root)
	if err == nil && n.pid != pid {
		err = errLost
	}
	return n, err
}

// renewNative records that the dream of process pid goes on. It fails with errLost where the lock is no longer its own.
func renewNative(dir *memory.Dir, pid int, now time.Time) error {
	n, err := checkNative(dir.Root(), pid)
	if err != nil {
		return err
	}
	if !n.twoLines {
		return memory.Touch(dir.Root(), nativeFile, now)
	}
	err = swapNative(dir, n, n.text(pid, now), now)
	if errors.Is(err, errHeld) {
		err = errors.Join(errLost, err)
	}
	return err
}

// releaseNative ends the hold of process pid on Claude Code's lock and leaves s as the time of the
// last consolidation: the file is removed where there is none. A lock of another process is not touched.
func releaseNative(root *os.Root, pid int, s stamp) error {
	n, err := checkNative(root, pid)
	if err != nil {
		return err
	}
	if !s.Exists {
		return root.Remove(nativeFile)
	}
	return n.stampAs(root, 0, s.Time)
}

// stampAs sets holder and time of the last consolidation in one step, so that no crash leaves one without the other.
func (n native) stampAs(root *os.Root, pid int, at time.Time) error {
	return memory.Replace(root, nativeFile, n.text(pid, at), at)
}
