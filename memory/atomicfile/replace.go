// Package atomicfile replaces files durably and in one step.
//
// After a crash a file has its old content or the new one, and a temporary may be left beside it. On systems that cannot
// exchange two files in one step (all but Linux), what another program puts in place of a file in the microseconds of its
// replacement is lost; an edit in place is not.
package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
)

// Temporaries lie beside their targets for the moments of a landing; without ".md" no host takes
// them for memories. Recovery sweeps what a crash left of them.
const (
	tempPrefix = ".dream-"
	tempSuffix = ".tmp"
)

// Replace puts data in place of the file name in root, durably and in one step: whoever reads sees
// the old content or the new, with its time. A zero mtime leaves the time to the system. It refuses a
// target that is not a regular file. The file is private.
func Replace(root *os.Root, name string, data []byte, mtime time.Time) error {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%q: %w", filepath.Join(root.Name(), name), memory.ErrNotRegular)
	}
	temp, err := WriteTemp(root, path.Dir(name), data, 0o600, mtime)
	if err != nil {
		return err
	}
	if err := Rename(root, temp, name); err != nil {
		root.Remove(temp)
		return err
	}
	return SyncFolder(root, path.Dir(name))
}

// Unlink makes the file name of root, which holds at most limit bytes, a file of its own: its other
// names keep the content, and no longer change with it.
func Unlink(root *os.Root, name string, limit int64) error {
	data, err := memory.ReadBounded(root, name, limit)
	if err != nil {
		return err
	}
	return Replace(root, name, data, time.Time{})
}

// Rename gives the file at one path the name to, in place of what has it.
func Rename(root *os.Root, from, to string) error {
	file, err := root.Lstat(from)
	if err != nil {
		return err
	}
	return settled(root.Rename(from, to), root, to, file)
}

// settled returns the error of a call that puts file at a path, or nil if file is there. A network file
// system that loses an answer reports a call as failed that it has carried out.
func settled(err error, root *os.Root, at string, file fs.FileInfo) error {
	if err == nil {
		return nil
	}
	if there, statErr := root.Lstat(at); statErr == nil && os.SameFile(there, file) {
		return nil
	}
	return err
}

// Exchange puts data in place of the file name in the directory itself, as Replace does, and returns
// the file that it displaced in that same step, and at most MaxFileBytes of what it held. was is nil where there was
// nothing, or the file system has no links. Without exchange of files in the system, what is put there in that very moment is lost.
func Exchange(d *memory.Dir, name string, data []byte, mtime time.Time) (was fs.FileInfo, held []byte, err error) {
	temp, err := WriteTemp(d.Root(), ".", data, 0o600, mtime)
	if err != nil {
		return nil, nil, err
	}
	own, err := d.Root().Lstat(temp)
	if err == nil {
		err = Put(d, name, temp, func(f *os.File) (err error) {
			if was, err = f.Stat(); err != nil || os.SameFile(was, own) {
				was = nil // the second name of what was just put there
				return err
			}
			held, err = io.ReadAll(io.LimitReader(f, memory.MaxFileBytes))
			return err
		})
	}
	if err != nil {
		d.Root().Remove(temp)
	}
	return was, held, err
}

// CreateTemp opens a new temporary in folder of root for writing.
func CreateTemp(root *os.Root, folder string, perm fs.FileMode) (f *os.File, name string, err error) {
	var id [8]byte
	rand.Read(id[:])
	name = path.Join(folder, tempPrefix+hex.EncodeToString(id[:])+tempSuffix)
	f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		root.Remove(name) // it may have been made all the same (settled), and is nobody else's
	}
	return f, name, err
}

// Probe fails where a file of some bytes could not be written to a folder, and leaves nothing there.
func Probe(root *os.Root, folder string, size int) error {
	f, name, err := CreateTemp(root, folder, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	return errors.Join(err, f.Close(), root.Remove(name))
}

// WriteTemp writes data to a temporary in folder, through to the disk, and returns its path. A zero
// mtime leaves the time to the system.
func WriteTemp(root *os.Root, folder string, data []byte, perm fs.FileMode, mtime time.Time) (string, error) {
	f, name, err := CreateTemp(root, folder, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm) // the umask may have taken bits that the target has
	}
	if err == nil && !mtime.IsZero() {
		err = root.Chtimes(name, mtime, mtime)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		root.Remove(name)
		return "", err
	}
	return name, nil
}

// SyncFolder makes the entries of a folder durable, where the system can.
func SyncFolder(root *os.Root, folder string) error {
	f, err := memory.OpenFolder(root, folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !syncFolderUnsupported(err) {
		return err
	}
	return nil
}

// SweepOld removes the temporaries below root that were last changed before a time: what killed processes
// left. It does not look into the folders in except. What cannot be removed stays.
func SweepOld(root *os.Root, before time.Time, except ...string) {
	fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case e.IsDir() && slices.Contains(except, name):
			return fs.SkipDir
		case !isTemp(e):
			return nil
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			root.Remove(name)
		}
		return nil
	})
}

func isTemp(e fs.DirEntry) bool {
	return e.Type().IsRegular() && strings.HasPrefix(e.Name(), tempPrefix) && strings.HasSuffix(e.Name(), tempSuffix)
}

// A Keeper is handed what a landing displaced, before it is gone.
type Keeper func(*os.File) error

// MakeFolder makes the folder of a file, which must be real.
func MakeFolder(d *memory.Dir, name string) error {
	folder := path.Dir(name)
	if folder == "." {
		return nil
	}
	err := d.Root().Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrExist) {
		info, err := d.Root().Lstat(folder)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%q: not a folder", folder)
		}
		return err
	}
	if err == nil {
		err = SyncFolder(d.Root(), ".")
	}
	return err
}

// Put gives the temporary temp a name. What had that name is displaced in the same step, so that even
// an edit made since the last look is handed to keep instead of being lost.
func Put(d *memory.Dir, name string, temp string, keep Keeper) error {
	if _, err := d.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := d.Root().Lstat(temp)
	if err != nil {
		return err
	}
	// A link fails where something is; an exchange fails where nothing is.
	for range 8 {
		err := settled(d.Root().Link(temp, name), d.Root(), name, file)
		if errors.Is(err, fs.ErrExist) {
			// If an exchange is reported as failed and tried again, it undoes itself.
			err = settled(exchange(d.Root(), temp, name), d.Root(), name, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was there, and is gone: a link will do now
			}
		} else if err != nil {
			if _, statErr := d.Stat(name); errors.Is(statErr, fs.ErrNotExist) {
				err = Rename(d.Root(), temp, name) // a file system without links
			}
		}
		if err != nil {
			return err
		}
		return Discard(d, temp, keep)
	}
	return fmt.Errorf("%s: appears and disappears while it is replaced", name)
}

// Take removes a file, handing what it held to keep before it is gone.
func Take(d *memory.Dir, name string, keep Keeper) error {
	if _, err := d.Stat(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	temp, err := WriteTemp(d.Root(), path.Dir(name), nil, 0o600, time.Time{})
	if err != nil {
		return err
	}
	if err := Rename(d.Root(), name, temp); err != nil {
		d.Root().Remove(temp)
		return err
	}
	return Discard(d, temp, keep)
}

// Discard removes a temporary after keep has seen what it holds.
func Discard(d *memory.Dir, temp string, keep Keeper) error {
	if err := SyncFolder(d.Root(), path.Dir(temp)); err != nil {
		return err
	}
	f, err := memory.OpenRegular(d.Root(), temp, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.Join(keep(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("what was displaced stays in %q: %w", temp, err)
	}
	return d.Root().Remove(temp)
}

// Sweep removes the temporaries that a crash left, after keep has seen each.
func Sweep(d *memory.Dir, keep Keeper) error {
	left, err := Temporaries(d)
	for _, temp := range left {
		if err := Discard(d, temp, keep); err != nil {
			return err
		}
	}
	return err
}

// Temporaries returns the paths of the temporaries of landings: those of one that is under way, or
// what a crash left. Names have at most one folder (Name.Writable), so nothing lies deeper.
func Temporaries(d *memory.Dir) ([]string, error) {
	top, _, err := memory.ReadFolder(d.Root(), ".", memory.MaxEntries)
	if err != nil {
		return nil, err
	}
	folders := []string{"."}
	for _, e := range top {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, e.Name())
		}
	}
	var found []string
	for _, folder := range folders {
		entries, _, err := memory.ReadFolder(d.Root(), folder, memory.MaxEntries)
		if err != nil {
			continue // a folder that can't be read holds nothing that we wrote
		}
		for _, e := range entries {
			if isTemp(e) {
				found = append(found, path.Join(folder, e.Name()))
			}
		}
	}
	return found, nil
}
