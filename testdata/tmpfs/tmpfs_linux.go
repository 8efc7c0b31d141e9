package tmpfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const prefix = "/dev/shm/dream-mcp-tests-"

// folder makes a folder in memory, named after this process, and removes those of processes that were killed.
func folder() string {
	var memory unix.Statfs_t
	err := unix.Statfs(filepath.Dir(prefix), &memory)
	if err != nil || memory.Type != unix.TMPFS_MAGIC || memory.Flags&unix.ST_NOEXEC != 0 || memory.Bavail*uint64(memory.Bsize) < 1<<30 {
		return ""
	}
	all, _ := filepath.Glob(prefix + "*")
	for _, old := range all {
		if _, err := os.Stat("/proc/" + strings.TrimPrefix(old, prefix)); os.IsNotExist(err) {
			os.RemoveAll(old)
		}
	}
	dir := fmt.Sprint(prefix, os.Getpid())
	if os.Mkdir(dir, 0o700) != nil {
		return ""
	}
	return dir
}
