//go:build unix

package state

import "golang.org/x/sys/unix"

// writable reports whether this process may write the files.
func writable(files ...string) bool {
	for _, f := range files {
		if unix.Access(f, unix.W_OK) != nil {
			return false
		}
	}
	return true
}
