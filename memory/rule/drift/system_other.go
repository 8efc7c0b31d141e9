//go:build !unix

package drift

// nonblock is not needed where a file can't be a fifo.
const nonblock = 0

// isNotFolder reports whether a path went on below a file, which is said as fs.ErrNotExist here.
func isNotFolder(error) bool { return false }
