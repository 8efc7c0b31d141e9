package ops

import (
	"errors"
	"io/fs"
	"os"

	"dream-mcp/memory"
)

// errReadOnly refuses to change a memory that is shown as a commit that was cut off will leave it.
var errReadOnly = errors.New("the memory was opened to be read only")

// Foresee makes of a, the archive of a commit over d that has begun and was cut off, what it will be once
// the commit has been carried on: landed, without the changes that will not land because others changed
// their files. It changes nothing on disk, and a cannot be landed any more.
func (a *Archive) Foresee(d *memory.Dir) error {
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
		disk, err := readOrForeign(d, c.Name)
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

// Files returns the names of the files that a changes, for memory.Overlay.
func (a *Archive) Files() []memory.Name {
	names := make([]memory.Name, len(a.Changes))
	for i, c := range a.Changes {
		names[i] = c.Name
	}
	return names
}

// Leave returns what a commit that was cut off will leave of a file that was read from disk.
func (a *Archive) Leave(n memory.Name, disk memory.File, err error) (memory.File, error) {
	i := a.find(n)
	if i < 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return disk, err
	}
	if c := a.Changes[i]; disk.Sum == c.Before && c.Before != c.After {
		return a.after(c)
	}
	return disk, err // it has landed, or others have changed it
}
