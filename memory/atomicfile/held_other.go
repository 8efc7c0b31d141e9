//go:build !windows

package atomicfile

// insist calls do: a file that is open elsewhere can be replaced.
func insist(do func() error) error { return do() }
