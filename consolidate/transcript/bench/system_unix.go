//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// freeBytes is what is free for us where a folder lies.
func freeBytes(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// peakRSS is the most memory that an ended process had.
func peakRSS(p *os.ProcessState) (int64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss), true // in bytes there
	}
	return int64(usage.Maxrss) << 10, true
}
