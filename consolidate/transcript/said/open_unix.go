//go:build unix

package said

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from following a link and from waiting on a fifo that took the file's place.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// inode distinguishes a file from one that replaced it; 0 if the system does not report it.
func inode(stat fs.FileInfo) uint64 {
	if s, ok := stat.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
