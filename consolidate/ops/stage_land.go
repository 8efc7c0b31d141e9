package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// prepare writes the new texts beside their targets. index, if not nil, is the new index over the one with the sum
// indexBase. It fails with a *ConflictError or an error of the disk, and then the memory is unchanged. After it
// makeDurable or cancel must be called.
func (s *Stage) prepare(now time.Time, index []byte, indexBase memory.Sum) error {
	var err error
	if index != nil {
		_, err = s.setChange(memory.IndexName, indexBase, index, time.Time{})
	}
	if err == nil {
		err = s.plan(now)
	}
	if err != nil {
		return errors.Join(err, s.cancel())
	}
	return nil
}

func (s *Stage) plan(now time.Time) error {
	if s.dir.Moved() {
		return fmt.Errorf("%s is no longer the directory that was opened", s.dir.Path())
	}
	slices.SortFunc(s.Changes, order)
	s.Landed = now
	var conflicts []Conflict
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.AfterTime.IsZero() {
			c.AfterTime = now
		}
		have, err := s.keepBefore(c)
		if err != nil {
			return err
		}
		if have != c.Before {
			conflicts = append(conflicts, Conflict{Name: c.Name, Want: c.Before, Have: have})
		}
	}
	if conflicts != nil {
		return &ConflictError{Conflicts: conflicts}
	}
	if _, changes := s.Change(memory.IndexName); !changes { // an undo knows by its sum whether others changed it
		disk, err := readOrForeign(s.dir, memory.IndexName)
		if err != nil {
			return err
		}
		s.Index = disk.Sum
	}
	return s.writeTemps()
}

// makeDurable makes the landing that prepare prepared, and all its texts, durable: from now on it is completed. If it
// fails, the memory is unchanged. After it land must be called, or cancel. rest, if not nil, is an operation that waits
// from then on.
func (s *Stage) makeDurable(rest *Op) error {
	s.State = state.Landing
	var entry *LogEntry
	if rest != nil {
		entry = new(rest.Entry(Proposed, rest.Reviewed))
	}
	if err := s.storeWith(entry, rest); err != nil {
		s.State = state.Staged
		return errors.Join(err, s.cancel())
	}
	return nil
}

// keepBefore keeps the text that c replaces, if it is the one that c was based on, and returns the sum of what is
// there.
func (s *Stage) keepBefore(c *state.Change) (memory.Sum, error) {
	disk, err := s.dir.ReadIfAny(c.Name)
	if err != nil || disk.Sum != c.Before || c.Before == "" {
		return disk.Sum, err
	}
	// Before anything lands: a landing that cannot be completed would stop every write.
	fixed, err := atomicfile.Fixed(s.dir.Root(), c.Name.String())
	if err == nil && fixed {
		err = fmt.Errorf("%s: %w", c.Name, memory.ErrFixed)
	}
	if err != nil {
		return "", err
	}
	info, err := s.dir.Stat(c.Name.String())
	if err != nil {
		return "", err
	}
	c.BeforeTime, c.BeforeMode = info.ModTime(), info.Mode().Perm()
	s.keep(disk.Data)
	return disk.Sum, nil
}

// cancel undoes prepare and makeDurable: the changes are staged as before, and the temporaries are removed.
func (s *Stage) cancel() error {
	if s.State == state.Landed {
		return errors.New("it has landed")
	}
	committed, displaced := s.State == state.Landing, len(s.Displaced)
	temps, err := s.keepTemps()
	s.unplan()
	if committed || err == nil && len(s.Displaced) > displaced {
		err = errors.Join(err, s.store(nil))
	}
	if err == nil {
		err = s.tidy(temps)
	}
	return err
}

// land lands what makeDurable committed, and logs it. It may be called again after an error or a crash: what has landed
// stays, the rest lands now. A file that is neither what is replaced nor what is put there belongs to somebody else: it
// is left alone and noted. step, if not nil, is called before each change and before the end.
func (s *Stage) land(step func(string)) error {
	if s.State == state.Landed {
		return s.sweep()
	}
	if step == nil {
		step = func(string) {}
	}
	var left []Conflict
	folders := make(map[string]bool)
	for _, c := range s.Changes {
		step(c.Action() + " " + c.Name.String())
		conflict, err := s.landChange(c)
		if err != nil {
			return fmt.Errorf("landing %s: %w", c.Name, err)
		}
		if conflict != nil {
			left = append(left, *conflict)
			continue
		}
		folder := path.Dir(c.Name.String())
		folders[folder], folders[path.Dir(c.Temp)] = true, true
		for ; path.Dir(c.Temp) == "." && folder != "."; folder = path.Dir(folder) {
			folders[folder] = true // it was made
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		err := atomicfile.SyncFolder(s.dir.Root(), folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // somebody may have removed it
			return err
		}
	}
	step("sweep")
	temps, err := s.keepTemps()
	if err != nil {
		return err
	}
	landing := *s.Op
	s.Changes = slices.Clone(s.Changes)
	s.Changes = slices.DeleteFunc(s.Changes, func(c state.Change) bool { // they have not landed
		return slices.ContainsFunc(left, func(l Conflict) bool { return l.Name == c.Name })
	})
	for i := range s.Changes {
		s.Changes[i].Temp = ""
	}
	s.State, s.LeftAlone, s.Outcome, s.Ended = state.Landed, left, Committed, s.Landed
	entry := s.Entry(Committed, s.Ended)
	if err := s.store(&entry); err != nil {
		*s.Op = landing // nobody else knows that it has landed: to be called again
		return err
	}
	return s.tidy(temps)
}

// landChange lands c, or returns why it is left alone. Whether it landed before a crash shows in its temporary. Before
// a text lands, that has the new text. Afterwards it has what was replaced, or is gone if there was nothing. After a
// deletion it is the deleted file. It is removed only when all have landed, so an update whose temporary is gone has
// not landed. Where files can be neither exchanged nor linked it may have: it is reported all the same, and both texts
// are in the archive.
func (s *Stage) landChange(c state.Change) (*Conflict, error) {
	disk, err := readOrForeign(s.dir, c.Name)
	if err != nil {
		return nil, err
	}
	_, temp, err := readTemp(s.dir, c.Temp)
	if err != nil {
		return nil, err
	}
	ready := temp == c.After
	switch {
	case temp == unreadable && disk.Sum == unreadable:
		return leftAlone(c, disk.Sum), nil
	case disk.Sum == c.After:
		return s.putBack(c) // it landed, and the process died then
	case temp != "" && !ready || temp == "" && c.Before == "" && disk.Sum != "":
		return nil, nil // it landed, and somebody changed it since
	case disk.Sum != c.Before:
		return leftAlone(c, disk.Sum), nil
	}
	name, root := c.Name.String(), s.dir.Root()
	if c.After == "" {
		if err := atomicfile.MoveAside(root, name, c.Temp); err != nil {
			return nil, err
		}
		return s.putBack(c)
	}
	for _, file := range []string{name, c.Temp} {
		if err := atomicfile.MakeFolder(root, path.Dir(file)); err != nil {
			return nil, err
		}
	}
	if !ready { // somebody removed it
		if err := s.writeTemp(c); err != nil {
			return nil, err
		}
	}
	if _, err := s.dir.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := atomicfile.Move(root, c.Temp, name); err != nil {
		return nil, err
	}
	return s.putBack(c)
}

// putBack returns the conflict if c has displaced what is not a memory: somebody put a link, a folder or a large file
// there after the last look. It gets its name again.
func (s *Stage) putBack(c state.Change) (*Conflict, error) {
	_, temp, err := readTemp(s.dir, c.Temp)
	if err != nil || temp != unreadable {
		return nil, err
	}
	return leftAlone(c, unreadable), atomicfile.Move(s.dir.Root(), c.Temp, c.Name.String())
}

// leftAlone returns the conflict of c with a file that somebody else changed.
func leftAlone(c state.Change, have memory.Sum) *Conflict {
	return &Conflict{Name: c.Name, Want: c.Before, Have: have, Lost: c.After}
}

// recover ends what a crash left: a landing that was committed is completed; else the memory is as it was.
func (s *Stage) recover() error {
	switch s.State {
	case state.Landed:
		return s.sweep()
	case state.Landing:
		return s.land(nil)
	}
	return s.cancel()
}

// order sorts changes as they land: what is written, then what is deleted, the index last, so that the index never
// names a file that does not exist.
func order(a, b state.Change) int {
	rank := func(c state.Change) int {
		switch {
		case c.Name.IsIndex():
			return 2
		case c.After == "":
			return 1
		}
		return 0
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return a.Name.Compare(b.Name)
}
