package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Records are the private folder of one memory, with the operations in its database, their texts, and the log.
type Records struct {
	*Options

	key string // names the folder

	opening sync.Mutex  // protects what follows
	root    *os.Root    // nil until first used
	db      *state.DB   // nil until first used
	aside   []*state.DB // that were moved or replaced; an open dream may still use one
}

// Close closes the state folder and its database. The store can be used again.
func (s *Records) Close() (err error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	for _, db := range append(s.aside, s.db) {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if s.root != nil {
		err = errors.Join(err, s.root.Close())
	}
	s.db, s.aside, s.root = nil, nil, nil
	return err
}

// DB returns the database of this memory, and creates it if needed, but with LookOnly. It remains open until Close. If
// it cannot be opened, its methods say so.
func (s *Records) DB() *state.DB {
	if s.LookOnly {
		return s.Look()
	}
	return s.openDB()
}

// Look returns the database of this memory, to read it; nil, which is an empty one, if there is none. If it cannot be
// opened, its methods say so.
func (s *Records) Look() *state.DB {
	info, err := os.Lstat(filepath.Join(s.StateDir(), state.File))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 { // to open it would write to it
		return nil
	}
	return s.openDB()
}

func (s *Records) openDB() *state.DB {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.db != nil {
		if !s.db.Replaced() {
			return s.db
		}
		s.aside, s.db = append(s.aside, s.db), nil
	}
	db, err := state.Open(s.StateDir(), state.Options{Now: s.Now, Again: s.Begun()})
	if err != nil {
		return state.Failed(err)
	}
	s.db = db
	return db
}

// Begun reports whether an operation has begun in this memory. Then there is a database, or it is gone.
func (s *Records) Begun() bool {
	_, err := os.Lstat(filepath.Join(s.MemoryDir, lock.File))
	return err == nil
}

// StateDir returns the path of the state folder of this memory.
func (s *Records) StateDir() string { return filepath.Join(s.StateHome, s.key) }

// FolderOf returns the path of a folder in the state folder of a memory.
func FolderOf(stateHome, memoryDir, folder string) string {
	return filepath.Join(stateHome, stateKey(RealPath(memoryDir)), folder)
}

// Root opens the state folder of this memory, and creates it if needed. It remains open.
func (s *Records) Root() (*os.Root, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.root != nil {
		ours, err := s.root.Stat(".")
		if there, thereErr := os.Stat(s.StateDir()); err == nil && thereErr == nil && os.SameFile(ours, there) {
			return s.root, nil
		}
		s.root.Close() // it was removed or replaced
		s.root = nil
	}
	if !s.LookOnly {
		if err := atomicfile.MakeFolders(s.StateDir()); err != nil {
			return nil, err
		}
	}
	root, err := memory.OpenRoot(s.StateDir())
	s.root = root
	return root, err
}

// probeSize is about what a small dream writes to the state folder, in bytes.
const probeSize = 64 << 10

// Writable fails if the state folder is read-only or full. If there is none yet, the folder counts that it would be
// made in.
func (s *Records) Writable() error {
	if s.LookOnly {
		return nil
	}
	folder := s.StateDir()
	root, err := memory.OpenRoot(folder)
	for ; errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder); root, err = memory.OpenRoot(folder) {
		folder = filepath.Dir(folder)
	}
	if err == nil {
		err = errors.Join(atomicfile.Probe(root, ".", probeSize), root.Close())
	}
	if err != nil {
		return fmt.Errorf("the state folder %q cannot be written: %w", s.StateDir(), err)
	}
	return nil
}

// LockFile locks a lock file in the state folder. It waits at most wait for another process.
func (s *Records) LockFile(ctx context.Context, file string, wait time.Duration) (unlock func() error, err error) {
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	return lock.LockFile(ctx, root, s.StateDir(), file, wait)
}

// RealPath resolves the links in the part of path that exists, so that the key of a directory is the same before and
// after it is created.
func RealPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		if p == filepath.Dir(p) {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// stateKey returns the name of the state folder of a memory directory: a readable part and a hash of the path.
func stateKey(dir string) string {
	name := filepath.Base(dir)
	if name == "memory" {
		name = filepath.Base(filepath.Dir(dir))
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name[max(0, len(name)-40):], "-")
	sum := sha256.Sum256([]byte(dir))
	return name + "-" + hex.EncodeToString(sum[:6])
}
