package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/server/settings"
)

// maxFile bounds what is read: Claude Code's own state file reaches megabytes.
const maxFile = 32 << 20

// file is a host's file as it was read. Links are followed and stay: people keep settings elsewhere.
type file struct {
	path, target string // as the host names it, and without links
	text         []byte // nil if it does not exist
	mode         fs.FileMode
	owner        owner
}

func load(path string) (file, error) {
	f := file{path: path, target: path, mode: 0o600}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		f.target = target
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return f, fmt.Errorf("%q is a link to a missing file", path)
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
	f.mode = info.Mode().Perm()
	if f.text, err = settings.ReadFile(f.target, maxFile); err != nil {
		return f, fmt.Errorf("%q: %w", path, err)
	}
	return f, nil
}

var errMoved = errors.New("another program changed the file at the same time")

// writable returns an error for a file that its owner has made read-only.
func (f file) writable() error {
	if f.text != nil && f.mode&0o200 == 0 {
		return fmt.Errorf("%q may not be written: %w", f.path, fs.ErrPermission)
	}
	return nil
}

// keep writes the content to a backup beside the file, once, and returns its name.
func (f file) keep() (string, error) {
	if err := f.writable(); err != nil {
		return "", err
	}
	name := f.target + backupInfix + memory.SumOf(f.text).Short()
	old, err := settings.ReadFile(name, maxFile)
	if err == nil && bytes.Equal(old, f.text) {
		return name, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%q is in the way of a backup", name)
	}
	return name, write(name, f.text, f.mode&0o700, f.owner)
}

// A backup is named after the file and the sum of its content, with backupInfix between them.
const backupInfix = ".before-dream-mcp-"

// backups returns the names of the backups of the file.
func (f file) backups() (names []string) {
	entries, _ := os.ReadDir(filepath.Dir(f.target))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(f.target)+backupInfix) {
			names = append(names, filepath.Join(filepath.Dir(f.target), e.Name()))
		}
	}
	return names
}

// replace replaces the content of the file; nil removes it. It fails with errMoved, and changes nothing, if the file no
// longer holds what was read. The caller holds the lock.
func (f file) replace(text []byte) error {
	if err := f.writable(); err != nil {
		return err
	}
	dir, base := filepath.Split(f.target)
	if err := makeFolder(filepath.Clean(dir)); err != nil {
		return err
	}
	// The name is fixed, so that this removes what a killed install left.
	temporary := filepath.Join(dir, "."+base+".dream-mcp-new")
	os.Remove(temporary)
	if err := write(temporary, text, f.mode, f.owner); err != nil {
		return err
	}
	defer os.Remove(temporary) // fails after the rename
	now, err := load(f.path)
	if err != nil {
		return err
	}
	if now.target != f.target || (now.text == nil) != (f.text == nil) || now.mode != f.mode || !bytes.Equal(now.text, f.text) {
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
		d.Sync() // not every system can
		d.Close()
	}
	return nil
}

// makeFolder creates a folder and those above it. Each gets the owner of the folder that it is in.
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
		return nil // by another process
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

// write creates a file. On an error it leaves none.
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
