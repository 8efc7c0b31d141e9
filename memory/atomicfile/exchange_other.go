//go:build !linux

package atomicfile

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func swap(root *os.Root, temp, name string) error { return displace(root, temp, name) }

func MoveNew(root *os.Root, temp, name string) error { return linkNew(root, temp, name) }

func Fixed(*os.Root, string) (bool, error) { return false, nil }

// syncFolderUnsupported: Windows opens folders for reading only and refuses to flush them.
func syncFolderUnsupported(err error) bool {
	return runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL)
}
