//go:build linux || darwin

package transcript

import (
	"io/fs"
	"syscall"
)

// inode tells a file from one that took its place under its name; 0 where the system does not say.
func inode(stat fs.FileInfo) uint64 {
	if s, ok := stat.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
