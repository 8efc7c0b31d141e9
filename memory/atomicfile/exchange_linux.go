package atomicfile

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"dream-mcp/memory"
)

// exchange swaps the temporary with n in one step: afterwards temp holds what n held. It fails with
// fs.ErrNotExist where there is no n. File systems that can't exchange fall back to displace.
func exchange(root *os.Root, temp, name string) error {
	err := inFolder(root, name, func(fd int, base string) error {
		return unix.Renameat2(fd, path.Base(temp), fd, base, unix.RENAME_EXCHANGE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return displace(root, temp, name)
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: temp, New: name, Err: err}
	}
	return nil
}

// Fixed reports whether n can be neither replaced nor removed, whoever asks: a file that a container was
// given is a mount point, and a person may have protected it (chattr +i).
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
