//go:build unix

package transcript

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from following a link and from waiting on a fifo that took the file's place.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openListed is openFile for a path that was just listed as a regular file, and tells what it is now. Of a
// small session, half of a search is what the system is asked.
func openListed(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	stat, err := f.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = fmt.Errorf("%q is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, stat, nil
}
