package memory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Alone reports whether an open file has no second name.
func Alone(f *os.File, info fs.FileInfo) bool {
	n, err := links(f, info)
	return err == nil && n == 1
}

// OpenRegular opens a regular file of root. With os.O_CREATE in flag it makes the file, private, where
// there is none. It fails with ErrNotRegular on anything else (a link, a folder, a fifo that it would
// wait for, a device without an end) and, where flag allows writing, with ErrLinked on a file that has
// another name: what is written would show up there too.
func OpenRegular(root *os.Root, name string, flag int) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, notRegular(root, name)
	} else if err != nil && flag&os.O_CREATE == 0 {
		return nil, err
	}
	f, err := root.OpenFile(name, flag&^os.O_TRUNC|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // it may have been replaced meanwhile
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(root, name)
	}
	if err == nil && flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		var n uint64
		if n, err = links(f, info); err == nil && n > 1 {
			err = fmt.Errorf("%q: %w", filepath.Join(root.Name(), name), ErrLinked)
		}
	}
	if err == nil && flag&os.O_TRUNC != 0 {
		err = f.Truncate(0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// SetTime sets the times of a regular file of root that has no other name.
func SetTime(root *os.Root, name string, mtime time.Time) error {
	f, err := OpenRegular(root, name, os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(root.Chtimes(name, mtime, mtime), f.Close())
}

// ReadBounded reads a regular file of root that holds at most limit bytes.
func ReadBounded(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := OpenRegular(root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%q: %w", name, tooLarge(limit))
	}
	return data, err
}

// OpenFolder opens a folder of root to be listed or synced. A fifo in its place is not waited on.
func OpenFolder(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}

// ReadFolder returns at most limit entries of a folder of root, in no order, so that a folder of a million files costs
// no more than the limit. It reports whether there are more.
func ReadFolder(root *os.Root, name string, limit int) (entries []fs.DirEntry, more bool, err error) {
	f, err := OpenFolder(root, name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(limit + 1)
	if err == io.EOF {
		err = nil
	}
	return entries[:min(len(entries), limit)], len(entries) > limit, err
}

// OpenRoot is os.OpenRoot. Where no folder is it fails with syscall.ENOTDIR; the system's own would wait on a fifo.
func OpenRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(path)
}

// notRegular returns the error for a non-regular file at name.
func notRegular(root *os.Root, name string) error {
	return fmt.Errorf("%q: %w", filepath.Join(root.Name(), name), ErrNotRegular)
}
