package atomicfile

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"dream-mcp/memory"
)

// swap exchanges two files in one step. It fails with fs.ErrNotExist if one is missing. On file systems that cannot
// exchange files it uses displace.
func swap(root *os.Root, temp, name string) error {
	err := rename2(root, temp, name, unix.RENAME_EXCHANGE)
	if unsupported(err) {
		return displace(root, temp, name)
	}
	return err
}

// MoveNew renames a file in one step. It fails with fs.ErrExist if there is a file at the new name. The folders are not
// synced.
func MoveNew(root *os.Root, temp, name string) error {
	err := rename2(root, temp, name, unix.RENAME_NOREPLACE)
	if unsupported(err) {
		return linkNew(root, temp, name)
	}
	return err
}

func rename2(root *os.Root, from, to string, flags uint) error {
	err := inFolder(root, from, func(fromFD int, fromBase string) error {
		return inFolder(root, to, func(toFD int, toBase string) error {
			return unix.Renameat2(fromFD, fromBase, toFD, toBase, flags)
		})
	})
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// Fixed reports whether a file can be neither replaced nor removed by anybody: a file that a container was given is a
// mount point, and a person may have protected it (chattr +i).
func Fixed(root *os.Root, name string) (bool, error) {
	var s unix.Statx_t
	err := inFolder(root, name, func(fd int, base string) error {
		return unix.Statx(fd, base, unix.AT_SYMLINK_NOFOLLOW, 0, &s)
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return false, nil // an old kernel, or a container that forbids to ask
	}
	return s.Attributes&(unix.STATX_ATTR_MOUNT_ROOT|unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0, err
}

// inFolder calls the system with the folder of a file, and the file's name there.
func inFolder(root *os.Root, name string, call func(fd int, base string) error) error {
	folder, err := memory.OpenFolder(root, path.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	return call(int(folder.Fd()), path.Base(name))
}

func syncFolderUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) // some network and FUSE mounts cannot sync a folder
}
