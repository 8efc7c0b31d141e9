//go:build unix

package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// owner is the user and group of a file.
type owner struct{ uid, gid int }

func (o owner) String() string { return fmt.Sprintf("user %d", o.uid) }

// ownerOf returns the owner of path or, if it does not exist, of the directory in which it will be created.
func ownerOf(path string) (owner, error) {
	for {
		info, err := os.Lstat(path)
		if err == nil {
			s := info.Sys().(*syscall.Stat_t)
			return owner{int(s.Uid), int(s.Gid)}, nil
		}
		up := filepath.Dir(path)
		if up == path || !os.IsNotExist(err) {
			return owner{}, err
		}
		path = up
	}
}

// give changes the owner of f. It fails if f would stay another user's.
func (o owner) give(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s := info.Sys().(*syscall.Stat_t)
	if int(s.Uid) == o.uid && int(s.Gid) == o.gid {
		return nil
	}
	if err := f.Chown(o.uid, o.gid); err != nil && int(s.Uid) != o.uid {
		return fmt.Errorf("it belongs to %v and cannot stay theirs: %w", o, fs.ErrPermission)
	}
	return nil
}
