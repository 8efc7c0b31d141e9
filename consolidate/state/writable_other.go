//go:build !unix

package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"dream-mcp/memory"
)

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

// linked reports whether a file has another name.
func linked(path string, _ fs.FileInfo) bool {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer root.Close()
	f, err := memory.OpenRegular(root, File, os.O_RDWR)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, memory.ErrLinked)
}
