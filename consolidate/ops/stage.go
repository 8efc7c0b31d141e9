package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Stage is the changes of an operation that have not landed, over a directory that does not have them.
type Stage struct {
	*Op     // of the transaction, where others read it
	dir     *memory.Dir
	db      *state.DB
	pending map[memory.Sum][]byte // texts that are not in the database yet
	late    bool                  // nothing is written before the commit
}

// Content returns a text of a change or a merge; nil for the sum "".
func (s *Stage) Content(sum memory.Sum) ([]byte, error) {
	if data, ok := s.pending[sum]; ok {
		return data, nil
	}
	return s.db.Text(sum)
}

// keep keeps a text, to be written with the operation.
func (s *Stage) keep(data []byte) {
	if s.pending == nil {
		s.pending = make(map[memory.Sum][]byte)
	}
	s.pending[memory.SumOf(data)] = data
}

// store writes the operation and the pending texts, and an entry of the log if it is not nil, in one transaction.
func (s *Stage) store(entry *LogEntry) error { return s.storeWith(entry, nil) }

// storeWith is store, and writes another operation in the same transaction if it is not nil.
func (s *Stage) storeWith(entry *LogEntry, rest *Op) error {
	row, err := s.row(s.dir.AllowSecrets)
	var restRow *state.Operation
	if err == nil && rest != nil {
		restRow, err = rest.row(s.dir.AllowSecrets)
	}
	if err != nil {
		return err
	}
	line, err := entry.row(s.dir.AllowSecrets)
	if err == nil {
		err = s.db.Operations().Save(row, s.pending, line, restRow)
	}
	if err == nil {
		s.pending, s.Bytes = nil, row.Bytes
	}
	return err
}

// after returns the file that c leaves.
func (s *Stage) after(c state.Change) (memory.File, error) {
	if c.After == "" {
		return memory.File{}, &fs.PathError{Op: "read", Path: c.Name.String(), Err: fs.ErrNotExist}
	}
	data, err := s.Content(c.After)
	return memory.File{Name: c.Name, Data: data, Sum: c.After, ModTime: c.AfterTime}, err
}

// Read reads n as the stage would leave it. edited is the file on disk where it is no longer what the
// staged change was based on, else nil.
func (s *Stage) Read(n memory.Name) (f memory.File, edited *memory.File, err error) {
	disk, err := s.dir.Read(n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return memory.File{}, nil, err
	}
	c, ok := s.Change(n)
	if !ok {
		return disk, nil, err
	}
	if disk.Sum != c.Before {
		edited = &disk
	}
	f, err = s.after(c)
	if err == nil {
		f.ModTime = disk.ModTime
	}
	return f, edited, err
}

func (s *Stage) deletes(n memory.Name) bool {
	c, ok := s.Change(n)
	return ok && c.After == ""
}

// Write stages data as the content of n, and the removal of others, all of it or nothing. If data is nil, n is removed.
// Each must pass Check with its base. What is removed must exist or be staged; if it is gone from the disk meanwhile,
// its change is dropped. Content returns the texts of the others afterwards. Write returns the change of n. Its Before
// equals its After if the stage leaves the file as it is on disk.
func (s *Stage) Write(n memory.Name, base string, data []byte, others map[memory.Name]memory.File) (state.Change, error) {
	return s.change(func() (state.Change, error) {
		for o, f := range others {
			s.keep(f.Data)
			if _, err := s.stage(o, string(f.Sum), nil); err != nil {
				return state.Change{}, err
			}
		}
		return s.stage(n, base, data)
	})
}

// stage is Write of one file before it is saved.
func (s *Stage) stage(n memory.Name, base string, data []byte) (state.Change, error) {
	have, disk, err := s.checkWithDisk(n, base)
	_, staged := s.Change(n)
	switch {
	case err != nil:
		return state.Change{}, err
	case len(data) > memory.MaxFileBytes && len(data) >= len(have.Data): // what is too large can be shortened
		return state.Change{}, fmt.Errorf("%s: %w", n, memory.ErrTooLarge)
	case data == nil && have.Sum == "" && !staged:
		return state.Change{}, &fs.PathError{Op: "delete", Path: n.String(), Err: fs.ErrNotExist}
	}
	if have.Sum == disk && disk != "" {
		s.keep(have.Data) // now rather than when it lands: the landing waits for fewer syncs
	}
	return s.setChange(n, disk, data, time.Time{})
}

// removeChange takes the change of n out of the stage.
func (s *Stage) removeChange(n memory.Name) {
	s.Changes = slices.DeleteFunc(slices.Clone(s.Changes), func(o state.Change) bool { return o.Name == n })
}

// Replace stages data (nil: no file) as the content of n over before, whatever is on disk: landing it compares. A zero
// mtime means the time of landing.
func (s *Stage) Replace(n memory.Name, before memory.Sum, data []byte, mtime time.Time) (state.Change, error) {
	return s.change(func() (state.Change, error) { return s.setChange(n, before, data, mtime) })
}

// change saves what edit makes of the changes, or leaves them as they were.
func (s *Stage) change(edit func() (state.Change, error)) (state.Change, error) {
	previous := s.Changes
	c, err := edit()
	if err == nil && !s.late {
		err = s.store(nil)
	}
	if err != nil {
		s.Changes = previous
		return state.Change{}, err
	}
	return c, nil
}

// setChange is Replace before it is saved.
func (s *Stage) setChange(n memory.Name, before memory.Sum, data []byte, mtime time.Time) (state.Change, error) {
	c := state.Change{Name: n, Before: before, AfterTime: mtime}
	if data != nil {
		c.After = memory.SumOf(data)
	}
	if c.After != c.Before && data != nil {
		s.keep(data)
	}
	if old, err := s.Content(before); before != "" && data != nil && n.IsTopic() && err == nil {
		c.Same = memory.SaysTheSame(old, data)
	}
	s.removeChange(n)
	if c.Before != c.After {
		s.Changes = append(s.Changes, c)
	}
	return c, nil
}

// Over returns the memory as the stage would leave what before shows, without reading the directory
// again. What the stage leaves alone is the same topic in both.
func (s *Stage) Over(before *memory.Snapshot) (*memory.Snapshot, error) {
	after := *before
	after.Topics = maps.Clone(before.Topics)
	after.Other = slices.DeleteFunc(slices.Clone(before.Other), func(o memory.Other) bool {
		return slices.ContainsFunc(s.Changes, func(c state.Change) bool { return c.Name.String() == o.Path })
	})
	for _, c := range s.Changes {
		data, err := s.Content(c.After)
		if err != nil {
			return nil, err
		}
		switch {
		case data != nil:
			after.Put(c.Name, data)
		case c.Name.IsIndex():
			after.Index = nil
		default:
			delete(after.Topics, c.Name)
		}
	}
	return &after, nil
}

// Topics returns the topics of a directory as the stage would leave them, sorted.
func (s *Stage) Topics(names []memory.Name) []memory.Name {
	names = slices.DeleteFunc(names, s.deletes)
	for _, c := range s.Changes {
		if c.After != "" && c.Name.IsTopic() && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	slices.SortFunc(names, memory.Name.Compare)
	return names
}

// Changed returns the names that the stage changes.
func (s *Stage) Changed() map[memory.Name]bool {
	changed := make(map[memory.Name]bool, len(s.Changes))
	for _, c := range s.Changes {
		changed[c.Name] = true
	}
	return changed
}
