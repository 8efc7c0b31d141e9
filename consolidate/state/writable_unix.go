//go:build unix

package state

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable reports whether this process may write the files.
func writable(files ...string) bool {
	for _, f := range files {
		if unix.Access(f, unix.W_OK) != nil {
			return false
		}
	}
	return true
}

// linked reports whether a file has another name. It does not open the file: closing it would release SQLite's locks.
func linked(_ string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
