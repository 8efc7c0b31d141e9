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
func (f *Records) Close() (err error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	for _, db := range append(f.aside, f.db) {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if f.root != nil {
		err = errors.Join(err, f.root.Close())
	}
	f.db, f.aside, f.root = nil, nil, nil
	return err
}

// DB returns the database of this memory, and creates it if needed, but with LookOnly. It remains open until Close. If it cannot be
// opened, its methods say so.
func (f *Records) DB() *state.DB {
	if f.LookOnly {
		return f.Look()
	}
	return f.openDB()
}

// Look returns the database of this memory, to read it; nil, which is an empty one, if there is none. If it cannot be opened, its methods
// say so.
func (f *Records) Look() *state.DB {
	info, err := os.Lstat(filepath.Join(f.StateDir(), state.File))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 { // to open it would write to it
		return nil
	}
	return f.openDB()
}

func (f *Records) openDB() *state.DB {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.db != nil {
		if !f.db.Replaced() {
			return f.db
		}
		f.aside, f.db = append(f.aside, f.db), nil
	}
	db, err := state.Open(f.StateDir(), state.Options{Now: f.Now, Again: f.Begun()})
	if err != nil {
		return state.Failed(err)
	}
	f.db = db
	return db
}

// Begun reports whether an operation has begun in this memory. Then there is a database, or it is gone.
func (f *Records) Begun() bool {
	_, err := os.Lstat(filepath.Join(f.MemoryDir, lock.File))
	return err == nil
}

// StateDir returns the path of the state folder of this memory.
func (f *Records) StateDir() string { return filepath.Join(f.StateHome, f.key) }

// FolderOf returns the path of a folder in the state folder of a memory.
func FolderOf(stateHome, memoryDir, folder string) string {
	return filepath.Join(stateHome, stateKey(RealPath(memoryDir)), folder)
}

// Root opens the state folder of this memory, and creates it if needed. It remains open.
func (f *Records) Root() (*os.Root, error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.root != nil {
		ours, err := f.root.Stat(".")
		if there, thereErr := os.Stat(f.StateDir()); err == nil && thereErr == nil && os.SameFile(ours, there) {
			return f.root, nil
		}
		f.root.Close() // it was removed or replaced
		f.root = nil
	}
	if f.LookOnly {
		root, err := memory.OpenRoot(f.StateDir())
		f.root = root
		return root, err
	}
	if err := atomicfile.MakeFolders(f.StateDir()); err != nil {
		return nil, err
	}
	root, err := memory.OpenRoot(f.StateDir())
	f.root = root
	return root, err
}

// probeSize is about what a small dream writes to the state folder, in bytes.
const probeSize = 64 << 10

// Writable fails if the state folder is read-only or full. If there is none yet, the folder counts that it would be made in.
func (f *Records) Writable() error {
	if f.LookOnly {
		return nil
	}
	folder := f.StateDir()
	root, err := memory.OpenRoot(folder)
	for ; errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder); root, err = memory.OpenRoot(folder) {
		folder = filepath.Dir(folder)
	}
	if err == nil {
		err = errors.Join(atomicfile.Probe(root, ".", probeSize), root.Close())
	}
	if err != nil {
		return fmt.Errorf("the state folder %q cannot be written: %w", f.StateDir(), err)
	}
	return nil
}

// LockFile locks a lock file in the state folder. It waits at most wait for another process.
func (f *Records) LockFile(ctx context.Context, file string, wait time.Duration) (unlock func() error, err error) {
	root, err := f.Root()
	if err != nil {
		return nil, err
	}
	return lock.LockFile(ctx, root, f.StateDir(), file, wait)
}

// RealPath resolves the links in the part of path that exists, so that the key of a directory is the same before and after
// it is created.
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
