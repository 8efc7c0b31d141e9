package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dream-mcp/server/host"
)

// maxFile bounds what is read: Claude Code's own state file reaches megabytes.
const maxFile = 32 << 20

// file is a host's file as it was read. Links are followed: people keep settings elsewhere, and the link
// must stay.
type file struct {
	path, target string // as the host names it, and where it lies
	text         []byte
	mode         fs.FileMode
	owner        owner
	there        bool
}

func load(path string) (file, error) {
	f := file{path: path, target: path, mode: 0o600}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		f.target = target
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return f, fmt.Errorf("%q is a link to nothing", path)
	}
	var err error
	if f.owner, err = ownerOf(f.target); err != nil {
		return f, err
	}
	info, err := os.Lstat(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.there, f.mode = true, info.Mode().Perm()
	if f.text, err = host.ReadFile(f.target, maxFile); err != nil {
		return f, fmt.Errorf("%q: %w", path, err)
	}
	return f, nil
}

var errMoved = errors.New("somebody else changed the file meanwhile")

// keep writes what a file holds beside it, once, and returns the name.
func (f file) keep() (string, error) {
	name := f.backupPrefix() + sum(f.text)
	old, err := host.ReadFile(name, maxFile)
	if err == nil && bytes.Equal(old, f.text) {
		return name, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%q is in the way of a backup", name)
	}
	return name, write(name, f.text, f.mode&0o700, f.owner)
}

func (f file) backupPrefix() string { return f.target + ".before-dream-mcp-" }

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:6])
}

// replace puts text in the place of what the file held, nil: nothing. It fails with errMoved, and changes
// nothing, where the file is no longer what was read. The caller holds the lock.
func (f file) replace(text []byte) error {
	if f.there && f.mode&0o200 == 0 {
		return fmt.Errorf("%q may not be written: %w", f.path, fs.ErrPermission)
	}
	dir, base := filepath.Split(f.target)
	if err := makeFolder(filepath.Clean(dir)); err != nil {
		return err
	}
	// The name is always the same: what a killed install left is nobody's, for we have the lock.
	temporary := filepath.Join(dir, "."+base+".dream-mcp-new")
	os.Remove(temporary)
	if err := write(temporary, text, f.mode, f.owner); err != nil {
		return err
	}
	defer os.Remove(temporary) // after the rename it is not there
	now, err := load(f.path)
	if err != nil {
		return err
	}
	if now.target != f.target || now.there != f.there || now.mode != f.mode || !bytes.Equal(now.text, f.text) {
		return errMoved
	}
	if text == nil {
		err = os.Remove(f.target)
	} else {
		err = os.Rename(temporary, f.target)
	}
	if err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync() // where a directory can't be synced, the system sees to it later
		d.Close()
	}
	return nil
}

// makeFolder makes a folder and those above it, each for the owner of the one that it is in.
func makeFolder(dir string) error {
	up := filepath.Dir(dir)
	if _, err := os.Stat(dir); err == nil || up == dir {
		return err
	}
	if err := makeFolder(up); err != nil {
		return err
	}
	root, err := os.OpenRoot(up)
	if err != nil {
		return err
	}
	defer root.Close()
	o, err := ownerOf(up)
	if err != nil {
		return err
	}
	name := filepath.Base(dir)
	if err := root.Mkdir(name, 0o700); errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	} else if err != nil {
		return err
	}
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return o.give(f)
}

// write makes a new file; it is not there where that failed.
func write(name string, text []byte, mode fs.FileMode, o owner) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, o.give(f), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		os.Remove(name)
	}
	return err
}

// untouched returns what the file held before add, where it holds exactly what add made of it: the text
// of a backup and its name, or that there was no file. Then taking back is exact.
func (f file) untouched(add, take edit) (text []byte, backup string, ok bool) {
	entries, _ := os.ReadDir(filepath.Dir(f.target))
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(f.target), e.Name())
		if !strings.HasPrefix(name, f.backupPrefix()) {
			continue
		}
		old, err := host.ReadFile(name, maxFile)
		if err != nil {
			continue
		}
		if made, err := add(old); err != nil || !bytes.Equal(made, f.text) {
			continue
		}
		if bare, err := take(old); err == nil && bytes.Equal(bare, old) { // it was not ours before
			if old == nil {
				old = []byte{}
			}
			return old, name, true
		}
	}
	made, err := add(nil)
	return nil, "", err == nil && bytes.Equal(made, f.text)
}
