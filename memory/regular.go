package memory

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenRegular opens a regular file of root; with os.O_CREATE in flag it is made, private, where there is
// none. What lies in its place and is none (a link, a folder, a fifo that would be waited on, a device
// without an end) is ErrNotRegular.
func OpenRegular(root *os.Root, name string, flag int) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, notRegular(root, name)
	} else if err != nil && flag&os.O_CREATE == 0 {
		return nil, err
	}
	return openRegular(root, name, flag)
}

// openRegular is OpenRegular for a file that was looked at: it may have been replaced meanwhile.
func openRegular(root *os.Root, name string, flag int) (*os.File, error) {
	f, err := root.OpenFile(name, flag|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(root, name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
		err = fmt.Errorf("%q: larger than %d bytes", name, limit)
	}
	return data, err
}

// OpenFolder opens a folder of root to be listed or synced. A fifo in its place is not waited on.
func OpenFolder(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}

// OpenRoot is os.OpenRoot, and OpenBelow its like below another root. Where no folder is they fail with
// syscall.ENOTDIR; the system's own would wait on a fifo.
func OpenRoot(path string) (*os.Root, error) {
	if err := isFolder(path, os.Stat); err != nil {
		return nil, err
	}
	return os.OpenRoot(path)
}

// OpenBelow is OpenRoot for a folder below root.
func OpenBelow(root *os.Root, name string) (*os.Root, error) {
	if err := isFolder(name, root.Stat); err != nil {
		return nil, err
	}
	return root.OpenRoot(name)
}

func isFolder(name string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return err
}

// notRegular says of what lies at name that it can't be read or replaced.
func notRegular(root *os.Root, name string) error {
	return fmt.Errorf("%q: %w", filepath.Join(root.Name(), name), ErrNotRegular)
}
