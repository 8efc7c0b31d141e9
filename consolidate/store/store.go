// Package store keeps what this program knows of one memory: a private folder of its own with the journal, a record and an archive of
// each operation, and small notes; and it changes the memory, by one kind of transaction.
//
// A transaction is begun under the lock, filled, and either landed whole or rolled back. What it replaces or deletes is in its archive
// before it lands. After a crash at any moment the next operation ends what was left: a begun commit lands, all else is rolled back.
// Who only reads sees the memory as that will leave it. Until then the files on disk may be between the two.
//
// Where the plan of a begun commit is lost, nothing is written until a person has looked.
package store

import (
	"errors"
	"io/fs"
	"sync"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/secret"
)

// Wait is how long an operation waits for a lock that is held for a moment.
const Wait = 2 * time.Second

// Options say which memory, and for whom. MemoryDir, StateHome and Now are required.
type Options struct {
	MemoryDir    string // need not exist
	StateHome    string // the state folder of all memories
	Host         string // the program that started us
	Session      string // the caller's session
	AllowSecrets secret.Allowed
	Unattended   bool // nobody watches: only dreams change the memory
	LookOnly     bool // makes no folder and writes no note
	Now          func() time.Time
	Step         func(string)     // called with the name of each step of an operation, if not nil
	Changed      func(uri string) // called with each resource that changed, if not nil

	Ended  func(Info, landing.Manifest) error // called under the lock before the end of a transaction is journaled, again after a crash
	Landed func(Info)                         // called under the lock when a transaction has landed
}

// Store is the state of one memory, and the way to change it. Its mutex is held by each operation of the packages above: one runs at a time.
type Store struct {
	Records
	sync.Mutex

	open *Tx // the dream that this process has open
}

// Open returns the store of o. It touches no file.
func Open(o Options) *Store {
	if o.Changed == nil {
		o.Changed = func(string) {}
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	o.MemoryDir = RealPath(o.MemoryDir)
	return &Store{Records: Records{Folder: Folder{Options: o, key: stateKey(o.MemoryDir)}}}
}

// Dir opens the memory directory to be read: where a commit was cut off, it is read as recovery will leave it. It returns nil where
// there is none.
func (s *Store) Dir() (*memory.Dir, error) {
	dir, err := s.Disk()
	if err != nil || dir == nil || s.open != nil {
		return dir, err
	}
	cut, err := s.Interrupted(dir)
	if err != nil || cut == nil {
		return dir, err
	}
	return dir.Through(cut.Archive), nil
}

// Disk opens the memory directory as it is on disk, to be locked, recovered or changed; nil where there is none.
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

// makeDir opens the memory directory, and makes it where there is none.
func (s *Store) makeDir() (*memory.Dir, error) {
	dir, err := memory.Create(s.MemoryDir)
	if err == nil {
		dir.AllowSecrets = s.AllowSecrets
	}
	return dir, err
}
