//go:build !unix

package state

import "os"

// writable reports whether this process may write the files, as far as their mode says.
func writable(files ...string) bool {
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || !info.IsDir() && info.Mode()&0o200 == 0 {
			return false
		}
	}
	return true
}
