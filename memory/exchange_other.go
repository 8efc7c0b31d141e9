//go:build !linux

package memory

import (
	"errors"
	"runtime"
	"syscall"
)

func (d *Dir) exchange(temp string, n Name) error { return d.displace(temp, n) }

func (d *Dir) fixed(Name) (bool, error) { return false, nil }

// syncFolderUnsupported: Windows opens folders for reading only and refuses to flush them.
func syncFolderUnsupported(err error) bool {
	return runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL)
}
