package memory

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// errThrough refuses to change a memory that is read through a commit that was cut off.
var errThrough = errors.New("the memory was opened to be read only")

// Foresee makes of a, the archive of a commit over d that has begun and was cut off, what it will be once
// the commit has been carried on: landed, without the changes that will not land because others changed
// their files. It changes nothing on disk, and a cannot be landed any more.
func (a *Archive) Foresee(d *Dir) error {
	if a.State != Landing {
		return nil
	}
	f, progress, err := a.openProgress(os.O_RDONLY)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lands []Change
	for i, c := range a.Changes {
		disk, err := d.readOrForeign(c.Name)
		if err != nil {
			return err
		}
		if progress[i] == begun || disk.Sum == c.Before || disk.Sum == c.After {
			lands = append(lands, c)
		}
	}
	a.Changes, a.State = lands, Landed
	return nil
}

// Through returns d to be read only, as the commit of a, which was foreseen, will leave it. Its Close
// closes d and a.
func (d *Dir) Through(a *Archive) *Dir {
	through := *d
	through.through = a
	return &through
}

// leave returns what a commit that was cut off will leave of a file that was read from disk.
func (a *Archive) leave(n Name, disk File, err error) (File, error) {
	i := slices.IndexFunc(a.Changes, func(c Change) bool { return c.Name == n })
	if i < 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return disk, err
	}
	c := a.Changes[i]
	switch {
	case disk.Sum != c.Before || c.Before == c.After:
		return disk, err // it has landed, or others have changed it
	case c.After == "":
		return File{}, &fs.PathError{Op: "read", Path: n.path, Err: fs.ErrNotExist}
	}
	data, err := a.Content(c.After)
	return File{Name: n, Data: data, Sum: c.After, ModTime: c.AfterTime}, err
}

// leaveListed makes of a listing from disk what the commit will leave of it.
func (d *Dir) leaveListed(l *Listing) error {
	for _, c := range d.through.Changes {
		f, err := d.Read(c.Name)
		listed := func(f Found) bool { return f.Name == c.Name }
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.Files = slices.DeleteFunc(l.Files, listed)
			continue
		case errors.Is(err, ErrNotRegular), errors.Is(err, ErrTooLarge):
			continue
		case err != nil:
			return err
		}
		l.Files = append(slices.DeleteFunc(l.Files, listed), Found{Name: c.Name, Size: int64(len(f.Data)), ModTime: f.ModTime})
	}
	slices.SortFunc(l.Files, func(a, b Found) int { return strings.Compare(a.Name.path, b.Name.path) })
	return nil
}
