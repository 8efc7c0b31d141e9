package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// displace does what exchange does in two steps, for systems without exchange: the old file gets a second name, then
// the new one takes its place. A file that replaces name between the two is lost; an edit of name in place is not.
func displace(root *os.Root, temp, name string) error {
	old := temp[:len(temp)-len(tempSuffix)] + "-old" + tempSuffix
	if err := insist(func() error { return root.Link(name, old) }); err != nil {
		if _, statErr := root.Lstat(name); statErr != nil {
			return statErr
		}
		// A file system without links: what was read a moment ago is in the archive.
		return rename(root, temp, name)
	}
	if err := rename(root, temp, name); err != nil {
		root.Remove(old)
		return err
	}
	return rename(root, old, temp)
}

// linkNew does what MoveNew does in two steps: the file gets its new name, then it loses the old one.
func linkNew(root *os.Root, temp, name string) error {
	file, err := root.Lstat(temp)
	if err != nil {
		return err
	}
	if err := settled(root.Link(temp, name), root, name, file); err != nil {
		if _, statErr := root.Lstat(name); errors.Is(statErr, fs.ErrNotExist) {
			return rename(root, temp, name) // a file system without links
		}
		return err
	}
	root.Remove(temp)
	return nil
}
