//go:build unix

package memory

import "syscall"

// nonblock keeps the opening of a fifo, put where a file was, from waiting for its writer.
const nonblock = syscall.O_NONBLOCK

// writable fails where the system says that files cannot be made in a folder.
func writable(folder string) error {
	const write, search = 2, 1
	return syscall.Access(folder, write|search)
}
