//go:build !unix

package transcript

// openFlags are none where the system has no such flags; openFile compares the files instead.
const openFlags = 0
