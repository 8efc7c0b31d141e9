package memory

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// exchange swaps the temporary with n in one step: afterwards temp holds what n held. It fails with
// fs.ErrNotExist where there is no n. File systems that can't exchange fall back to displace.
func (d *Dir) exchange(temp string, n Name) error {
	folder, err := d.root.Open(path.Dir(n.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	fd := int(folder.Fd())
	err = unix.Renameat2(fd, path.Base(temp), fd, path.Base(n.path), unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return d.displace(temp, n)
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: temp, New: n.path, Err: err}
	}
	return nil
}

func syncFolderUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) // some network and FUSE mounts cannot sync a folder
}
