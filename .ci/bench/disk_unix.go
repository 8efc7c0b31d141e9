//go:build linux || darwin

package main

import "syscall"

// freeBytes is what is free for us where a folder lies.
func freeBytes(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// flush waits until what was written lies on the disks: while the system writes it, all else takes longer.
func flush() { syscall.Sync() }
