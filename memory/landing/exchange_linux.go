package landing

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
	folder, err := memory.OpenFolder(root, path.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	fd := int(folder.Fd())
	err = unix.Renameat2(fd, path.Base(temp), fd, path.Base(name), unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return displace(root, temp, name)
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: temp, New: name, Err: err}
	}
	return nil
}

// fixed reports whether n can be neither replaced nor removed, whoever asks: a file that a container was
// given is a mount point, and a person may have protected it (chattr +i).
func fixed(root *os.Root, name string) (bool, error) {
	folder, err := memory.OpenFolder(root, path.Dir(name))
	if err != nil {
		return false, err
	}
	defer folder.Close()
	var s unix.Statx_t
	err = unix.Statx(int(folder.Fd()), path.Base(name), unix.AT_SYMLINK_NOFOLLOW, 0, &s)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return false, nil // an old kernel, or a container that forbids to ask
	}
	return s.Attributes&(unix.STATX_ATTR_MOUNT_ROOT|unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0, err
}

func syncFolderUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) // some network and FUSE mounts cannot sync a folder
}
