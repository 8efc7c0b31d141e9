// Package lock keeps two dreams over one memory directory apart.
//
// There are two lock files in the directory. Ours, .dream.lock, is held by flock, which the system gives back at any death; its text
// names the holder and what is needed to end its operation after a crash. Claude Code's, .consolidate-lock, holds a process ID
// and the time of the last consolidation; we follow its protocol and write it only while it is ours.
//
// flock excludes processes on one kernel, containers included. It does not reach over some network mounts and desktop container
// shares: there Claude Code's lock, which two processes can both take in the same instant, is all there is.
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

// File is our own lock. It is never removed: two holders of two files of one name would be two.
const File = ".dream.lock"

const (
	pollEvery = 20 * time.Millisecond
	maxRecord = 8 << 10
)

// Kind says what an operation that holds the lock is.
type Kind string

// The kinds. Only a dream holds the lock for longer than a moment.
const (
	KindDream      Kind = "dream"
	KindWrite      Kind = "write" // a single write_memory outside a dream
	KindUndo       Kind = "undo"
	KindRestore    Kind = "restore"
	KindMend       Kind = "mend"       // of a memory that was taken as it is
	KindSync       Kind = "sync"       // of what other machines changed
	KindBackground Kind = "background" // a host that was started to dream; it holds no lock itself
)

// Record says in the lock file whose an open operation is, and all that is needed to end it after a
// crash. The file is empty where nothing is open.
type Record struct {
	Dream      string    `json:"dream"`
	Kind       Kind      `json:"kind"`
	PID        int       `json:"pid"`
	Host       string    `json:"host,omitempty"`
	Boot       string    `json:"boot,omitempty"`
	Namespace  string    `json:"pid_namespace,omitempty"`
	Started    time.Time `json:"started"`
	Prior      Stamp     `json:"prior"` // of .consolidate-lock, where the kind takes it
	Stage      string    `json:"stage"` // the dream's folder
	Committing bool      `json:"committing,omitempty"`
}

// NewRecord returns the record of an operation of this process.
func NewRecord(id string, kind Kind, started time.Time, prior Stamp, stage string) Record {
	host, _ := os.Hostname()
	boot, namespace := machine()
	return Record{Dream: id, Kind: kind, PID: os.Getpid(), Host: host, Boot: boot, Namespace: namespace, Started: started, Prior: prior, Stage: stage}
}

// here reports whether the process of r ran where its end can be seen.
func (r Record) here() bool {
	boot, namespace := machine()
	return boot != "" && r.Boot == boot && r.Namespace == namespace
}

// Dead reports whether the process of r is known to have ended.
func (r Record) Dead() bool { return r.here() && processGone(r.PID) }

// Whereabouts says whether the process of r runs, as far as can be seen from here.
func (r Record) Whereabouts() string {
	host, _ := os.Hostname()
	switch {
	case r.Dream == "":
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
	if r.Dream == "" {
		return "another operation, for a moment"
	}
	s := fmt.Sprintf("%s %s, process %d", r.Kind, r.Dream, r.PID)
	if r.Host != "" {
		s += " on " + r.Host
	}
	return s + ", since " + r.Started.UTC().Format(time.RFC3339)
}

// What a lock can fail with.
var (
	ErrHeld = errors.New("held") // by another process, or another operation of ours
	ErrGone = errors.New("the lock file .dream.lock was removed or replaced meanwhile; nothing has landed")
)

// A BusyError says who holds the lock.
type BusyError struct {
	Holder string
	Moment bool // only for a moment
	Native bool // by Claude Code's protocol
}

func (e *BusyError) Error() string { return "the memory is in use: " + e.Holder }

// Busy says that r holds the lock.
func (r Record) Busy() *BusyError {
	return &BusyError{Holder: r.String(), Moment: r.Kind != KindDream || r.Dead()}
}

// Lock is our lock, held. Release gives it back; the system does so at any death.
type Lock struct {
	flock *flock.Flock
	file  *os.File
}

// Take takes our lock on dir. While somebody holds it for a moment it waits, at most wait; a
// dream is not waited for, unless it is dead and being recovered. It fails with ErrHeld.
func Take(ctx context.Context, dir *memory.Dir, wait time.Duration) (*Lock, error) {
	// Made through the root, so that no link, nor another directory at the path, has it made elsewhere.
	f, err := memory.OpenRegular(dir.Root(), File, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	l := &Lock{flock: flock.New(filepath.Join(dir.Path(), File), flock.SetFlag(os.O_RDWR)), file: f}
	if err := l.take(ctx, dir.Root(), wait); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

func (l *Lock) take(ctx context.Context, root *os.Root, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; {
		ok, err := l.flock.TryLock()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if r, _ := Read(root); r.Kind == KindDream && !r.Dead() || !time.Now().Before(deadline) {
			return ErrHeld
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
	// The path may lead elsewhere meanwhile, and the file may be another than the one that is there.
	locked, err := l.flock.Stat()
	if err != nil {
		return err
	}
	if opened, err := l.file.Stat(); err != nil || !os.SameFile(locked, opened) {
		return fmt.Errorf("%s is not the file that was locked: the memory directory was replaced", File)
	}
	return l.Check(root)
}

// Check fails with ErrGone where the lock file is no longer the one that is held: whoever comes next
// takes another, and finds no record of what was cut off.
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

// Read reads the record in the lock file, without the lock. The zero record means that nothing is
// open. The first byte is the one that is locked, and which Windows lets nobody read, so the record
// begins after it.
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
	data, err := io.ReadAll(io.NewSectionReader(f, 1, maxRecord))
	if err != nil {
		return Record{}, err
	}
	return parseRecord(data)
}

func parseRecord(data []byte) (Record, error) {
	var r Record
	if data = bytes.Trim(data, "\x00\n "); len(data) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("the record in %s cannot be read: %w", File, err)
	}
	return r, nil
}

// Read reads the record of a lock that is held.
func (l *Lock) Read() (Record, error) {
	data, err := io.ReadAll(io.NewSectionReader(l.file, 1, maxRecord))
	if err != nil {
		return Record{}, err
	}
	return parseRecord(data)
}

// Write puts r into the lock file, through to the disk.
func (l *Lock) Write(r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if _, err := l.file.WriteAt(data, 1); err != nil {
		return err
	}
	if err := l.file.Truncate(int64(1 + len(data))); err != nil {
		return err
	}
	return l.file.Sync()
}

// Clear empties the lock file.
func (l *Lock) Clear() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	return l.file.Sync()
}

// Release gives the lock back.
func (l *Lock) Release() error { return errors.Join(l.file.Close(), l.flock.Unlock()) }

// Note locks a file of ours in the folder root, which has the path dir, and returns what unlocks it. It waits at most
// wait for another process that holds it, and then fails with ErrHeld. Anything but a plain file is refused: opening a fifo would
// wait for a writer, and not even a signal ends that.
func Note(ctx context.Context, root *os.Root, dir, name string, wait time.Duration) (unlock func() error, err error) {
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
