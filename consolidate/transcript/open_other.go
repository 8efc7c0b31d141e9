//go:build !unix

package transcript

import (
	"io/fs"
	"os"
)

// openFlags are none where the system has no such flags; openFile compares the files instead.
const openFlags = 0

// openListed is openFile, and tells what the file is now.
func openListed(path string) (*os.File, fs.FileInfo, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	stat, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, stat, nil
}
