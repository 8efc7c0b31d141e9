// Package ops keeps the state of one memory in a private folder (the journal, a record and an archive of each operation,
// and small notes), and changes the memory in transactions.
//
// A transaction begins under the lock, is filled, and either lands whole or is rolled back. What it replaces or deletes is
// archived before it lands. After a crash at any moment the next operation recovers: it completes a commit that has begun,
// and rolls back anything else. Readers see the memory as recovery will leave it. Until recovery, the files on disk may be
// between the two.
//
// If the plan of a commit that has begun is lost, nothing is written until a person decides (TakeAsIs).
package ops

import (
	"errors"
	"io/fs"
	"sync"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// Wait is how long an operation waits for a lock that is held only briefly.
const Wait = 2 * time.Second

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

	Ended  func(Op) error // called under the lock before the end of a transaction is logged; called again after a crash
	Landed func(Op)       // called under the lock after a transaction has landed
}

// Store is the state of one memory, and the way to change it. Operations of the packages above hold its mutex, so one runs
// at a time.
type Store struct {
	*Options
	Records *Records
	sync.Mutex

	open *Tx // the dream that this process has open
}

// Open returns the store of o. It touches no file.
func Open(o Options) *Store {
	if o.Step == nil {
		o.Step = func(string) {}
	}
	o.MemoryDir = RealPath(o.MemoryDir)
	return &Store{Options: &o, Records: &Records{Folder{Options: &o, key: stateKey(o.MemoryDir)}}}
}

// Dir opens the memory directory for reading, after it has completed an interrupted landing. It returns nil if there is none.
func (s *Store) Dir() (*memory.Dir, error) {
	dir, err := s.Disk()
	if err == nil {
		err = s.complete(dir)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// Disk opens the memory directory as it is on disk, to lock, recover or change it. It returns nil if there is none.
func (s *Store) Disk() (*memory.Dir, error) {
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
	dir, err := memory.Create(s.MemoryDir)
	if err == nil {
		dir.AllowSecrets = s.AllowSecrets
	}
	return dir, err
}
