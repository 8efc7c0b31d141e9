//go:build !linux && !darwin

package transcript

import (
	"io/fs"
	"os"
)

// statusOf tells what the listing has told already, on Windows.
func statusOf(_ *os.File, e fs.DirEntry) (status, error) {
	stat, err := e.Info()
	if err != nil {
		return status{}, err
	}
	return status{size: stat.Size(), modTime: stat.ModTime(), regular: stat.Mode().IsRegular()}, nil
}

// inode tells a file from one that took its place under its name; 0 where the system does not say.
func inode(fs.FileInfo) uint64 { return 0 }
