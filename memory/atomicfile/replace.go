// Package atomicfile replaces files durably and in one step.
//
// After a crash a file has its old content or the new one, and a temporary may be left beside it. On systems that
// cannot exchange two files in one step (all but Linux), what another program puts in place of a file in the
// microseconds of its replacement is lost; an edit in place is not.
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
	temp := TempName(path.Dir(name), "")
	if err := WriteTemp(root, temp, data, 0o600, mtime); err != nil {
		return err
	}
	if err := rename(root, temp, name); err != nil {
		root.Remove(temp)
		return err
	}
	return SyncFolder(root, path.Dir(name))
}

// rename gives the file at one path the name to, in place of what has it.
func rename(root *os.Root, from, to string) error {
	file, err := root.Lstat(from)
	if err != nil {
		return err
	}
	return settled(insist(func() error { return root.Rename(from, to) }), root, to, file)
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

// Exchange puts data in place of a file, as Replace does, and returns the file that it displaced in that same step, and
// at most MaxReadBytes of what it held. was is nil if there was nothing, or the file system has no links. On systems
// that cannot exchange files, what is put there in that very moment is lost.
func Exchange(root *os.Root, name string, data []byte, mtime time.Time) (was fs.FileInfo, held []byte, err error) {
	temp := TempName(path.Dir(name), "")
	if err := WriteTemp(root, temp, data, 0o600, mtime); err != nil {
		return nil, nil, err
	}
	defer root.Remove(temp)
	if err := Move(root, temp, name); err != nil {
		return nil, nil, err
	}
	if err := SyncFolder(root, path.Dir(name)); err != nil {
		return nil, nil, err
	}
	return displaced(root, temp)
}

// Take removes a file in one step and returns what Exchange returns. was is nil if there was nothing.
func Take(root *os.Root, name string) (was fs.FileInfo, held []byte, err error) {
	temp := TempName(path.Dir(name), "")
	if err := MoveAside(root, name, temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	defer root.Remove(temp)
	return displaced(root, temp)
}

// displaced reads a file that has got the name of a temporary, if there is one.
func displaced(root *os.Root, temp string) (was fs.FileInfo, held []byte, err error) {
	f, err := memory.OpenRegular(root, temp, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if was, err = f.Stat(); err == nil {
		held, err = io.ReadAll(io.LimitReader(f, memory.MaxReadBytes))
	}
	return was, held, err
}

// TempName returns the path of a new temporary in a folder. Its name contains of.
func TempName(folder, of string) string {
	var id [8]byte
	rand.Read(id[:])
	return path.Join(folder, tempPrefix+of+hex.EncodeToString(id[:])+tempSuffix)
}

// createTemp opens a new temporary for writing.
func createTemp(root *os.Root, name string, perm fs.FileMode) (f *os.File, err error) {
	f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		root.Remove(name) // it may have been made all the same (settled), and is nobody else's
	}
	return f, err
}

// Probe fails where a file of some bytes could not be written to a folder, and leaves nothing there.
func Probe(root *os.Root, folder string, size int) error {
	name := TempName(folder, "")
	f, err := createTemp(root, name, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	return errors.Join(err, f.Close(), root.Remove(name))
}

// WriteTemp writes a new temporary, and syncs it but not its folder. A zero mtime leaves the time to the system.
func WriteTemp(root *os.Root, name string, data []byte, perm fs.FileMode, mtime time.Time) error {
	f, err := createTemp(root, name, perm)
	if err != nil {
		return err
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
	}
	return err
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

// MakeFolder makes a folder below root, and those above it. Each must be a real one if it exists.
func MakeFolder(root *os.Root, folder string) error {
	if folder == "." {
		return nil
	}
	if err := MakeFolder(root, path.Dir(folder)); err != nil {
		return err
	}
	err := root.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrExist) {
		var info fs.FileInfo
		if info, err = root.Lstat(folder); err == nil && !info.IsDir() {
			err = fmt.Errorf("%q: not a folder", folder)
		}
	}
	return err
}

// MakeFolders makes the folder at a path of the system, and those above it, for the person alone. That they are there
// is durable.
func MakeFolders(at string) error {
	if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
		return err // what is there and no folder is refused by whoever opens it
	}
	above := filepath.Dir(at)
	if err := MakeFolders(above); err != nil {
		return err
	}
	if err := os.Mkdir(at, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	root, err := memory.OpenRoot(above)
	if err != nil {
		return err
	}
	return errors.Join(SyncFolder(root, "."), root.Close())
}

// Move gives the temporary temp a name, in one step. Afterwards temp is what had that name, so that even an edit made
// since the last look is not lost, or is gone if nothing had it. The folders are not synced.
func Move(root *os.Root, temp, name string) error {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%q: %w", name, memory.ErrNotRegular)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.Lstat(temp)
	if err != nil {
		return err
	}
	for range 8 {
		err := settled(MoveNew(root, temp, name), root, name, file)
		if errors.Is(err, fs.ErrExist) {
			// If an exchange is reported as failed and tried again, it undoes itself.
			err = settled(swap(root, temp, name), root, name, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was there, and is gone
			}
		}
		return err
	}
	return fmt.Errorf("%s: appears and disappears while it is replaced", name)
}

// MoveAside renames a file to a temporary. The folder is not synced.
func MoveAside(root *os.Root, name, temp string) error { return rename(root, name, temp) }

// Temporaries returns the paths of the temporaries of landings: those of one that is under way, or
// what a crash left.
func Temporaries(d *memory.Dir) (found []string, err error) {
	left := memory.MaxEntries
	for folders := []string{"."}; len(folders) > 0 && left > 0; folders = folders[1:] {
		entries, _, readErr := memory.ReadFolder(d.Root(), folders[0], left)
		if readErr != nil && folders[0] == "." {
			err = readErr // another folder that cannot be read has nothing that we wrote
		}
		left -= len(entries)
		for _, e := range entries {
			if name := path.Join(folders[0], e.Name()); e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				folders = append(folders, name)
			} else if isTemp(e) {
				found = append(found, name)
			}
		}
	}
	return found, err
}
