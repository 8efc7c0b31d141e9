package atomicfile

import "os"

// displace does what exchange does in two steps, for systems without exchange: the old file gets a
// second name, then the new one takes its place. A file that replaces n between the two is lost;
// an edit of n in place is not.
func displace(root *os.Root, temp, name string) error {
	old := temp[:len(temp)-len(tempSuffix)] + "-old" + tempSuffix
	if err := root.Link(name, old); err != nil {
		if _, statErr := root.Lstat(name); statErr != nil {
			return statErr
		}
		// A file system without links: what was read a moment ago is in the archive.
		return Rename(root, temp, name)
	}
	if err := Rename(root, temp, name); err != nil {
		root.Remove(old)
		return err
	}
	return Rename(root, old, temp)
}
