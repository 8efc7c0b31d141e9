package memory

import (
	"cmp"
	"errors"
	"io/fs"
	"time"
)

// Reverse stages the taking back of what a did: files get their content and time from before. What
// somebody else changed since is kept: where it is other lines than a changed, those that a changed
// are taken back beside it (merged), else the file is left and reported.
func (s *Stage) Reverse(a *Archive) (merged []Name, conflicts []Conflict, err error) {
	for _, c := range a.Changes {
		disk, err := s.dir.readOrForeign(c.Name)
		if err != nil {
			return nil, nil, err
		}
		if disk.Sum == c.Before {
			continue
		}
		data, err := a.Content(c.Before)
		if err != nil {
			return nil, nil, err
		}
		mtime := c.BeforeTime
		if disk.Sum != c.After {
			after, err := a.Content(c.After)
			if err != nil {
				return nil, nil, err
			}
			var ok bool
			if data, ok = c.takeBack(after, disk, data); !ok {
				conflicts = append(conflicts, Conflict{Name: c.Name, Want: c.After, Have: disk.Sum})
				continue
			}
			merged, mtime = append(merged, c.Name), time.Time{}
		} else if c.Before != "" && data == nil {
			data = []byte{}
		}
		if _, err := s.set(c.Name, disk.Sum, data, mtime); err != nil {
			return nil, nil, err
		}
	}
	return merged, conflicts, nil
}

// takeBack takes the lines that c changed back from a file that others changed since. It reports false
// where they changed the same lines, and where one of the three is no file: a text that was made anew
// has no lines in common with the one that was deleted. The index stands for itself: what others wrote
// into it is kept in any case.
func (c Change) takeBack(after []byte, disk File, before []byte) (merged []byte, ok bool) {
	if disk.Sum == unreadable {
		return nil, false
	}
	if c.Name.IsIndex() {
		merged, ok = mergeLines(after, disk.Data, before)
		return append([]byte{}, merged...), ok
	}
	if c.Before == "" || c.After == "" || disk.Sum == "" {
		return nil, false
	}
	now := ParseTopic(disk.Data)
	merged, ok = mergeLines(now.restamp(after), disk.Data, now.restamp(before))
	return merged, ok && ParseTopic(merged).HasFrontmatter() == now.HasFrontmatter()
}

// restamp returns the text of another version with t's own stamp of its last change, a line that every
// write changes and nobody's words.
func (t *Topic) restamp(version []byte) []byte {
	stamp := cmp.Or(t.value("metadata.modified"), t.value("modified"))
	other := ParseTopic(version)
	if stamp == "" || !other.HasFrontmatter() {
		return version
	}
	other.set("modified", stamp)
	return other.Bytes()
}

// Restore stages data, with the time that it had, as the content of n, whatever n holds now. It fails
// with a *TwinError where n would be another spelling of what is there.
func (s *Stage) Restore(n Name, data []byte, mtime time.Time) error {
	if !n.IsIndex() {
		if err := n.Writable(); err != nil {
			return err
		}
	}
	have, err := s.dir.sum(n)
	if err == nil && have == "" {
		err = s.checkTwin(n)
	} else if err == nil {
		err = s.dir.checkSpelling(n)
	}
	if err == nil {
		_, err = s.set(n, have, data, mtime)
	}
	return err
}

// unreadable stands for the sum of what is no memory: a link, a folder, a file that is too large.
const unreadable Sum = "unreadable"

// readOrForeign is readOrNothing for a name that somebody else may have put something at that is no
// memory, which gets the sum unreadable.
func (d *Dir) readOrForeign(n Name) (File, error) {
	f, err := d.readOrNothing(n)
	if errors.Is(err, ErrNotRegular) || errors.Is(err, ErrTooLarge) {
		return File{Name: n, Sum: unreadable}, nil
	}
	return f, err
}

// readOrNothing reads n; a file that is not there is the zero File.
func (d *Dir) readOrNothing(n Name) (File, error) {
	f, err := d.Read(n)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	return f, err
}
