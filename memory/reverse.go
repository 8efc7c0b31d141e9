package memory

import (
	"errors"
	"io/fs"
	"time"
)

// Reverse stages the taking back of what a did: files get their content and time from before. What
// somebody else changed since is kept and reported; in the index, the lines that a changed are taken
// back and the others kept.
func (s *Stage) Reverse(a *Archive) ([]Conflict, error) {
	var conflicts []Conflict
	for _, c := range a.Changes {
		disk, err := s.dir.readOrForeign(c.Name)
		if err != nil {
			return nil, err
		}
		if disk.Sum == c.Before {
			continue
		}
		before, err := a.Content(c.Before)
		if err != nil {
			return nil, err
		}
		mtime := c.BeforeTime
		if disk.Sum != c.After {
			after, err := a.Content(c.After)
			if err != nil {
				return nil, err
			}
			merged, ok := []byte(nil), false
			if c.Name.IsIndex() && disk.Sum != unreadable {
				merged, ok = mergeLines(after, disk.Data, before)
			}
			if !ok {
				conflicts = append(conflicts, Conflict{Name: c.Name, Want: c.After, Have: disk.Sum})
				continue
			}
			before, mtime = merged, time.Time{}
		}
		if c.Before == "" && disk.Sum == c.After {
			before = nil
		} else if before == nil {
			before = []byte{}
		}
		if _, err := s.set(c.Name, before, mtime); err != nil {
			return nil, err
		}
	}
	return conflicts, nil
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
