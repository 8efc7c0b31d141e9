// Package lock ensures that only one dream at a time is open over a memory directory.
//
// There are two lock files in the directory. Ours, .dream.lock, is locked with flock, which the system releases when
// the process ends in any way. Its text names the holder and has what is needed to end its operation after a crash.
// Claude Code's, .consolidate-lock, holds a process ID and the time of the last consolidation. We follow its protocol
// and write it only while we hold it.
//
// flock excludes processes on one kernel, including those in containers. It does not work on some network mounts and
// desktop container shares. There only Claude Code's lock remains, which two processes can take in the same instant.
package lock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"dream-mcp/memory"
)

// File is our lock file. It is never removed, since two processes could then lock two files of one name.
const File = ".dream.lock"

const (
	pollEvery = 5 * time.Millisecond
	maxRecord = 8 << 10
)

// Kind is the kind of an operation that holds the lock.
type Kind string

// The kinds. Only a dream holds the lock for long.
const (
	KindDream      Kind = "dream"
	KindWrite      Kind = "write" // a single write_memory outside a dream
	KindUndo       Kind = "undo"
	KindRestore    Kind = "restore"
	KindMend       Kind = "mend"       // of a memory that was taken as it is
	KindSync       Kind = "sync"       // of what other machines changed
	KindPerson     Kind = "person"     // of what the person has in all projects
	KindForget     Kind = "forget"     // of a text, everywhere; it cannot be undone
	KindBackground Kind = "background" // a host that was started to dream; it holds no lock itself
)

// FromOthers reports whether an operation brings what was changed elsewhere: on other machines, or in other projects.
func (k Kind) FromOthers() bool { return k == KindSync || k == KindPerson }

// Record is the content of the lock file: the holder of an open operation, and what is needed to end the operation
// after a crash. The file is empty if no operation is open.
type Record struct {
	ID         string    `json:"dream"` // of the operation, of any kind
	Kind       Kind      `json:"kind"`
	PID        int       `json:"pid"`
	Host       string    `json:"host,omitempty"`
	Boot       string    `json:"boot,omitempty"`
	Namespace  string    `json:"pid_namespace,omitempty"`
	Started    time.Time `json:"started"`
	Prior      Stamp     `json:"prior"` // of .consolidate-lock, where the kind takes it
	Database   string    `json:"stage"` // its path
	Committing bool      `json:"committing,omitempty"`
}

// NewRecord returns the record of an operation of this process.
func NewRecord(id string, kind Kind, started time.Time, prior Stamp, database string) Record {
	host, _ := os.Hostname()
	boot, namespace := machine()
	return Record{ID: id, Kind: kind, PID: os.Getpid(), Host: host, Boot: boot, Namespace: namespace, Started: started, Prior: prior, Database: database}
}

// Boot names the boot of this machine, or on Windows the machine; "" where the system does not tell.
func Boot() string {
	boot, _ := machine()
	return boot
}

// here reports whether this process can see the process of r.
func (r Record) here() bool {
	boot, namespace := machine()
	return boot != "" && r.Boot == boot && r.Namespace == namespace
}

// Dead reports whether the process of r is known to have ended.
func (r Record) Dead() bool { return r.here() && processGone(r.PID) }

// Whereabouts describes whether the process of r runs, as far as this process can see.
func (r Record) Whereabouts() string {
	host, _ := os.Hostname()
	switch {
	case r.ID == "":
		return "it is not named"
	case r.Dead():
		return "its process is gone, and another process is ending it"
	case r.here():
		return "it is running"
	case r.Host != "" && r.Host != host:
		return "it runs on another machine or in another container"
	}
	return "whether it runs cannot be seen from here"
}

func (r Record) String() string {
	if r.ID == "" {
		return "another operation, for a moment"
	}
	s := fmt.Sprintf("%s %s, process %d", r.Kind, r.ID, r.PID)
	if r.Host != "" {
		s += " on " + r.Host
	}
	return s + ", since " + r.Started.UTC().Format(time.RFC3339)
}

// The errors of a lock.
var (
	ErrHeld = errors.New("held") // by another process, or another operation of ours
	ErrGone = errors.New("the lock file .dream.lock was removed or replaced; nothing has landed")
)

// A BusyError names the holder of a lock.
type BusyError struct {
	Holder string
	Moment bool // held only briefly
	Host   bool // Claude Code's lock
}

func (e *BusyError) Error() string { return "the memory is in use: " + e.Holder }

// Busy returns the error of an operation that must wait for r.
func (r Record) Busy() *BusyError {
	return &BusyError{Holder: r.String(), Moment: r.Kind != KindDream || r.Dead()}
}

// Lock is our lock while it is held. The system releases it if the process dies.
type Lock struct {
	flock *flock.Flock
	file  *os.File
}

// Take takes our lock on dir. It waits at most wait for a brief operation, but not for a dream, unless the dream is
// landing, or is dead and being recovered. It fails with ErrHeld.
func Take(ctx context.Context, dir *memory.Dir, wait time.Duration) (*Lock, error) {
	// Created through the root, so that neither a link nor another directory at the path can redirect it.
	f, err := memory.OpenRegular(dir.Root(), File, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	l := &Lock{flock: flock.New(filepath.Join(dir.Path(), File), flock.SetFlag(os.O_RDWR)), file: f}
	if err := l.acquire(ctx, dir.Root(), wait); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

func (l *Lock) acquire(ctx context.Context, root *os.Root, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; {
		ok, err := l.flock.TryLock()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if r, _ := Read(root); r.Kind == KindDream && !r.Dead() && !r.Committing || !time.Now().Before(deadline) {
			return ErrHeld
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
	// The path or the file may have been replaced.
	locked, err := l.flock.Stat()
	if err != nil {
		return err
	}
	if opened, err := l.file.Stat(); err != nil || !os.SameFile(locked, opened) {
		return fmt.Errorf("%s is not the file that was locked: the memory directory was replaced", File)
	}
	return l.Check(root)
}

// Check fails with ErrGone if the lock file is no longer the one that is held. Another process would lock the new file,
// and would not find our record after a crash.
func (l *Lock) Check(root *os.Root) error {
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := root.Lstat(File)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, there) {
		return ErrGone
	}
	return err
}

// Read reads the record in the lock file without taking the lock. The zero Record means that no operation is open. The
// record begins after the first byte, which is the one that is locked: Windows does not let others read it.
func Read(root *os.Root) (Record, error) {
	info, err := root.Lstat(File)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() <= 1 {
		return Record{}, nil
	}
	if err != nil {
		return Record{}, err
	}
	f, err := memory.OpenRegular(root, File, os.O_RDONLY)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	return readRecord(f)
}

func readRecord(f *os.File) (r Record, err error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 1, maxRecord))
	if data = bytes.Trim(data, "\x00\n "); err != nil || len(data) == 0 {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("the record in %s cannot be read: %w", File, err)
	}
	return r, nil
}

// Read reads the record of a lock that is held.
func (l *Lock) Read() (Record, error) { return readRecord(l.file) }

// Write writes r into the lock file, so that other processes see it. Sync makes it durable.
func (l *Lock) Write(r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if _, err := l.file.WriteAt(data, 1); err != nil {
		return err
	}
	return l.file.Truncate(int64(1 + len(data)))
}

// Sync makes the record durable.
func (l *Lock) Sync() error { return l.file.Sync() }

// Clear empties the lock file. After a power cut it may have its record again, and the end of that operation is
// recorded twice.
func (l *Lock) Clear() error { return l.file.Truncate(0) }

// Release releases the lock.
func (l *Lock) Release() error { return errors.Join(l.file.Close(), l.flock.Unlock()) }

// LockFile locks a lock file in the folder root, whose path is dir. It waits at most wait for another process, and then
// fails with ErrHeld. It refuses anything but a regular file: opening a fifo would block, and not even a signal ends
// that.
func LockFile(ctx context.Context, root *os.Root, dir, name string, wait time.Duration) (unlock func() error, err error) {
	f, err := memory.OpenRegular(root, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, name), flock.SetFlag(os.O_RDWR))
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ok, err := l.TryLock()
	if err == nil && !ok && wait > 0 {
		ok, err = l.TryLockContext(ctx, time.Millisecond)
	}
	if !ok && (err == nil || ctx.Err() != nil) {
		err = ErrHeld
	}
	return l.Unlock, err
}
