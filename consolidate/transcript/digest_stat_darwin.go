package transcript

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when a file's bytes, name or times were last changed: later than the last write, and
// nobody can set it back. The zero time where the system does not say.
func changed(stat fs.FileInfo) time.Time {
	if s, ok := stat.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return time.Time{}
}
