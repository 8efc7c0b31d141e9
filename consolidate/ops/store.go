// Package ops changes a memory in transactions, which the database of package state records, and reads what it has
// recorded.
//
// A transaction begins under the file lock, is filled, and either lands whole or is rolled back. Its commit point is
// one transaction of the database. After a crash at any moment the next operation, or whoever reads through this
// package, completes a commit that has begun, and rolls back anything else. Until then, the files on disk may be
// between the two. The steps, and what a crash in each leaves, are in the README of consolidate, "A landing".
//
// A file that somebody else changes during a landing is left as it is, and the operation records it.
//
// If the plan of a commit that has begun is lost, nothing is written until a person decides (TakeAsIs).
package ops

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/secret"
)

// Wait is how long an operation waits for a lock that is held only briefly.
const Wait = 5 * time.Second

// Options configure a Store. MemoryDir, StateHome and Now are required.
type Options struct {
	MemoryDir    string // need not exist
	StateHome    string // the state folder of all memories
	Host         string // the program that started us
	Session      string // the caller's session
	AllowSecrets secret.Allowed
	Unattended   bool // nobody watches: only dreams change the memory
	LookOnly     bool // create no folder and write no note
	Now          func() time.Time
	Step         func(string) // called with the name of each step of an operation, if not nil

	Ended  func(Op) error // called under the file lock before the end of a transaction is logged; called again after a crash
	Landed func(Op)       // called under the file lock after a transaction has landed
}

// Store is the state of one memory, and the way to change it. Its mutex excludes other goroutines of this process, the
// file lock other processes. The caller of a method holds the mutex (Lock); most methods panic if nobody does. A method
// takes the file lock where it needs it.
type Store struct {
	*Options
	Records *Records

	mutex *sync.Mutex // protects what follows
	open  *Tx         // the dream that this process has open
	stuck string      // the ID of a landing of another process that this one waited for in vain
}

// Open returns the store of o. It touches no file.
func Open(o Options) *Store {
	if o.Step == nil {
		o.Step = func(string) {}
	}
	o.MemoryDir = RealPath(o.MemoryDir)
	return &Store{Options: &o, Records: &Records{Options: &o, key: stateKey(o.MemoryDir)}, mutex: new(sync.Mutex)}
}

// Beside returns the store of another memory. It has the mutex of s. It touches no file.
func (s *Store) Beside(memoryDir string) *Store {
	o := *s.Options
	o.MemoryDir, o.Ended, o.Landed = memoryDir, nil, nil
	other := Open(o)
	other.mutex = s.mutex
	return other
}

// Lock takes the mutex, and returns what releases it. It is not reentrant.
func (s *Store) Lock() (unlock func()) {
	s.mutex.Lock()
	return s.mutex.Unlock
}

// mustBeLocked panics if nobody holds the mutex.
func (s *Store) mustBeLocked() {
	if s.mutex.TryLock() {
		s.mutex.Unlock()
		panic("ops: a method of Store was called without its mutex")
	}
}

// Dir opens the memory directory for reading, after it has completed an interrupted landing. It returns nil if there is
// none.
func (s *Store) Dir(ctx context.Context) (*memory.Dir, error) {
	dir, err := s.Disk()
	if err == nil {
		err = s.completeIn(ctx, dir)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// viewTries is how often View tries to read a memory that changes meanwhile. The last time it takes what it reads: the
// plan of an interrupted landing is lost.
const viewTries = 50

// View calls do with the memory directory, nil if there is none, after it has completed an interrupted landing. What do
// reads is of one moment: if something may have landed meanwhile, do is called again. It fails as Complete does.
func (s *Store) View(ctx context.Context, do func(*memory.Dir) error) error {
	for try := 1; ; try++ {
		dir, err := s.Dir(ctx)
		if err != nil {
			return err
		}
		before, quiet := s.moment(dir)
		last := try == viewTries
		if quiet || last {
			err = do(dir)
			after, still := s.moment(dir)
			quiet = still && after == before
		}
		if err = errors.Join(err, dir.Close()); quiet || last {
			return err
		}
	}
}

// Snapshot reads the memory at one moment, like View. It returns nil if there is no directory.
func (s *Store) Snapshot(ctx context.Context) (all *memory.Snapshot, err error) {
	err = s.View(ctx, func(dir *memory.Dir) error {
		if all = nil; dir != nil {
			all, err = dir.Snapshot()
		}
		return err
	})
	return all, err
}

// A moment changes with each operation that begins, lands or ends in a memory.
type moment struct {
	record  lock.Record
	written time.Time // the lock file
	landed  int64     // how far the log is
}

// moment returns the present moment, and whether nothing is landing. While this process has a dream open, nobody else
// changes the memory.
func (s *Store) moment(dir *memory.Dir) (m moment, quiet bool) {
	if dir == nil || s.Current() != nil {
		return m, true
	}
	if info, err := dir.Root().Lstat(lock.File); err == nil {
		m.written = info.ModTime()
	}
	m.record, _ = lock.Read(dir.Root()) // a torn record is none: recovery has seen it, or cannot write
	m.landed, _ = s.Records.Look().Log().Landings()
	return m, !m.record.Committing
}

// Disk opens the memory directory as it is on disk, to lock, recover or change it. It returns nil if there is none.
func (s *Store) Disk() (*memory.Dir, error) {
	s.mustBeLocked()
	dir, err := memory.Open(s.MemoryDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		dir.AllowSecrets = s.AllowSecrets
	}
	return dir, err
}

// makeDir opens the memory directory, and creates it if needed.
func (s *Store) makeDir() (*memory.Dir, error) {
	if err := atomicfile.MakeFolders(s.MemoryDir); err != nil {
		return nil, err
	}
	return s.Disk()
}
