// Package tmpfs puts the folders of tests in memory, where syncing a file costs nothing. A test that kills a process
// loses nothing by that: memory outlives a process as a disk does. What a power failure leaves is not tested either
// way.
package tmpfs

import "os"

// Run runs tests, as testing.M.Run does, with TMPDIR in memory, and removes what they leave there. A TMPDIR that is set
// already stays, and so does the system's folder where memory does not serve: on other systems than Linux, if
// /dev/shm is not a tmpfs or cannot run programs, or has less than a gigabyte to spare.
func Run(tests func() int) int {
	if os.Getenv("TMPDIR") == "" {
		if dir := folder(); dir != "" {
			defer os.RemoveAll(dir)
			os.Setenv("TMPDIR", dir)
		}
	}
	return tests()
}
