package memory

// displace does what exchange does in two steps, for systems without exchange: the old file gets a
// second name, then the new one takes its place. A file that replaces n between the two is lost;
// an edit of n in place is not.
func (d *Dir) displace(temp string, n Name) error {
	old := temp[:len(temp)-len(tempSuffix)] + "-old" + tempSuffix
	if err := d.root.Link(n.path, old); err != nil {
		if _, statErr := d.root.Lstat(n.path); statErr != nil {
			return statErr
		}
		// A file system without links: what was read a moment ago stands in the archive.
		return rename(d.root, temp, n.path)
	}
	if err := rename(d.root, temp, n.path); err != nil {
		d.root.Remove(old)
		return err
	}
	return rename(d.root, old, temp)
}
