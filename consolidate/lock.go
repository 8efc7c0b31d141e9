package consolidate

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

// lockFile is our own lock. It is never removed: two holders of two files of one name would be two.
const lockFile = ".dream.lock"

const (
	lockPoll      = 20 * time.Millisecond
	maxLockRecord = 8 << 10
)

// lockRecord says in the lock file whose an open dream is, and all that is needed to end it after a
// crash. The file is empty where nothing is open.
type lockRecord struct {
	Dream      string    `json:"dream"`
	Kind       Kind      `json:"kind"`
	PID        int       `json:"pid"`
	Host       string    `json:"host,omitempty"`
	Boot       string    `json:"boot,omitempty"`
	Namespace  string    `json:"pid_namespace,omitempty"`
	Started    time.Time `json:"started"`
	Prior      stamp     `json:"prior"` // of .consolidate-lock, where the kind takes it
	Stage      string    `json:"stage"` // the dream's folder
	Committing bool      `json:"committing,omitempty"`
}

// dead reports whether the process of r is known to have ended: it ran where we can see it.
func (r lockRecord) dead() bool {
	boot, namespace := machine()
	return boot != "" && r.Boot == boot && r.Namespace == namespace && processGone(r.PID)
}

func (r lockRecord) String() string {
	if r.Dream == "" {
		return "another operation, for a moment"
	}
	s := fmt.Sprintf("%s %s, process %d", r.Kind, r.Dream, r.PID)
	if r.Host != "" {
		s += " on " + r.Host
	}
	return s + ", since " + r.Started.UTC().Format(time.RFC3339)
}

// errHeld says that another process (or another operation of ours) holds the lock.
var errHeld = errors.New("held")

// lock is our lock, held. Release gives it back; the system does so at any death.
type lock struct {
	flock *flock.Flock
	file  *os.File
}

// takeLock takes our lock on dir. While somebody holds it for a moment it waits, at most wait; a
// dream is not waited for, unless it is dead and being recovered. It fails with errHeld.
func takeLock(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock, error) {
	// Made through the root, so that no link, nor another directory at the path, has it made elsewhere.
	f, err := memory.OpenRegular(dir.Root(), lockFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	l := &lock{flock: flock.New(filepath.Join(dir.Path(), lockFile), flock.SetFlag(os.O_RDWR)), file: f}
	if err := l.take(ctx, dir.Root(), wait); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func (l *lock) take(ctx context.Context, root *os.Root, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; {
		ok, err := l.flock.TryLock()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if r, _ := readLock(root); r.Kind == KindDream && !r.dead() || !time.Now().Before(deadline) {
			return errHeld
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
	// The path may lead elsewhere meanwhile, and the file may be another than the one that is there.
	locked, err := l.flock.Stat()
	if err != nil {
		return err
	}
	if opened, err := l.file.Stat(); err != nil || !os.SameFile(locked, opened) {
		return fmt.Errorf("%s is not the file that was locked: the memory directory was replaced", lockFile)
	}
	return l.check(root)
}

// check fails with ErrGone where the lock file is no longer the one that is held: whoever comes next
// takes another, and finds no record of what was cut off.
func (l *lock) check(root *os.Root) error {
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := root.Lstat(lockFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, there) {
		return ErrGone
	}
	return err
}

// readLock reads the record in the lock file, without the lock. The zero record means that nothing is
// open. The first byte is the one that is locked, and which Windows lets nobody read, so the record
// begins behind it.
func readLock(root *os.Root) (lockRecord, error) {
	info, err := root.Lstat(lockFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() <= 1 {
		return lockRecord{}, nil
	}
	if err != nil {
		return lockRecord{}, err
	}
	f, err := memory.OpenRegular(root, lockFile, os.O_RDONLY)
	if err != nil {
		return lockRecord{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, 1, maxLockRecord))
	if err != nil {
		return lockRecord{}, err
	}
	return parseLock(data)
}

func parseLock(data []byte) (lockRecord, error) {
	var r lockRecord
	if data = bytes.Trim(data, "\x00\n "); len(data) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return lockRecord{}, fmt.Errorf("the record in %s can't be read: %w", lockFile, err)
	}
	return r, nil
}

// read reads the record of a lock that is held.
func (l *lock) read() (lockRecord, error) {
	data, err := io.ReadAll(io.NewSectionReader(l.file, 1, maxLockRecord))
	if err != nil {
		return lockRecord{}, err
	}
	return parseLock(data)
}

// write puts r into the lock file, through to the disk.
func (l *lock) write(r lockRecord) error {
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

// clear empties the lock file.
func (l *lock) clear() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	return l.file.Sync()
}

// release gives the lock back.
func (l *lock) release() error { return errors.Join(l.file.Close(), l.flock.Unlock()) }
