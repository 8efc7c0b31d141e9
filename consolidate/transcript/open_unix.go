//go:build unix

package transcript

import "syscall"

// openFlags keep an open from following a link and from waiting on a fifo that took the file's place.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
