//go:build unix

package drift

import (
	"errors"
	"syscall"
)

// nonblock keeps the opening of a fifo, put where a file was, from waiting for its writer.
const nonblock = syscall.O_NONBLOCK

// isNotFolder reports whether a path went on below a file: there is nothing there.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
