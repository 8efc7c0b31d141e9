//go:build unix

package memory

import "syscall"

// nonblock keeps the opening of a fifo, put where a file was, from waiting for its writer.
const nonblock = syscall.O_NONBLOCK
