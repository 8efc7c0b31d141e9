package ops

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
)

// Reverse stages the undoing of a. Files get their content and time from before it. If others changed other lines of a
// file, only the lines that a changed are reverted. If they changed the same lines, the file is left as it is and
// reported.
//
// The index is undone in the same way. Of the topics that others changed it then names those that exist, and no others.
func (s *Stage) Reverse(a Op) (conflicts []Conflict, err error) {
	left := make(map[memory.Name]bool)
	for _, c := range a.Changes {
		if c.Name.IsIndex() {
			continue
		}
		found, err := s.reverseChange(c)
		if err != nil {
			return nil, err
		}
		conflicts, left[c.Name] = append(conflicts, found...), found != nil
	}
	found, err := s.reverseIndex(a, left)
	return append(conflicts, found...), err
}

// reverseChange stages the undoing of one change of a, or reports why the file is left as it is.
func (s *Stage) reverseChange(c state.Change) ([]Conflict, error) {
	disk, err := readOrForeign(s.dir, c.Name)
	if err != nil || disk.Sum == c.Before {
		return nil, err
	}
	data, err := s.Content(c.Before)
	if err != nil {
		return nil, err
	}
	mtime := c.BeforeTime
	switch {
	case disk.Sum != c.After:
		after, err := s.Content(c.After)
		if err != nil {
			return nil, err
		}
		merged, ok := undoChange(c, after, disk, data)
		if !ok {
			return []Conflict{{Name: c.Name, Want: c.After, Have: disk.Sum}}, nil
		}
		if memory.SumOf(merged) == disk.Sum {
			return nil, nil // others have undone it already
		}
		data, mtime = merged, time.Time{}
	case c.Before != "" && data == nil:
		data = []byte{}
	}
	_, err = s.change(func() (state.Change, error) {
		back, err := s.setChange(c.Name, disk.Sum, data, mtime)
		if last := len(s.Changes) - 1; last >= 0 && s.Changes[last].Name == c.Name {
			s.Changes[last].AfterMode = c.BeforeMode
		}
		return back, err
	})
	return nil, err
}

// reverseIndex stages the undoing of what a did to the index. left are the topics of a that others
// changed and that are left as they are.
func (s *Stage) reverseIndex(a Op, left map[memory.Name]bool) (conflicts []Conflict, err error) {
	n := memory.IndexName
	disk, err := readOrForeign(s.dir, n)
	if err != nil {
		return nil, err
	}
	c := state.Change{Name: n, Before: a.Index, After: a.Index}
	if own, ok := a.Change(n); ok {
		c = own
	}
	var before []byte
	if c.Before != c.After {
		if conflicts, err = s.reverseChange(c); err != nil {
			return nil, err
		}
		if before, err = s.Content(c.Before); err != nil {
			return nil, err
		}
	}
	if disk.Sum == unreadable {
		return conflicts, nil
	}
	undone, _, err := s.Read(n) // not there: it is deleted, unless a topic stays that it names
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	index := memory.ParseIndex(undone.Data)
	was, is, named := memory.ParseIndex(before).ByFile(), memory.ParseIndex(disk.Data).ByFile(), index.ByFile()
	edited := disk.Sum != c.After && disk.Sum != c.Before
	for _, c := range a.Changes {
		if !c.Name.IsTopic() || !edited && !left[c.Name] {
			continue
		}
		_, _, err := s.Read(c.Name)
		isBack := c.After == "" && !left[c.Name]
		entry, isKnown := is[c.Name.String()] // what others made of a line comes before what it was
		if !isKnown && isBack {
			entry, isKnown = was[c.Name.String()]
		}
		_, isNamed := named[c.Name.String()]
		switch {
		case err == nil && !isNamed && isKnown && (isBack || left[c.Name]):
			index.Upsert(c.Name, entry.Title, entry.Hook, entry.Section)
		case errors.Is(err, fs.ErrNotExist) && isNamed:
			index.Remove(c.Name.String())
		}
	}
	if bytes.Equal(index.Bytes(), undone.Data) {
		return conflicts, nil
	}
	_, err = s.Replace(n, disk.Sum, index.Bytes(), time.Time{})
	return conflicts, err
}

// Merged returns the files that undo, the undoing of a, has not brought back as they were before a:
// what others changed in them is kept.
func (a Op) Merged(undo []state.Change) []memory.Name {
	var merged []memory.Name
	for _, c := range undo {
		before := a.Index
		if own, ok := a.Change(c.Name); ok {
			before = own.Before
		}
		if c.After != before {
			merged = append(merged, c.Name)
		}
	}
	return merged
}

// undoChange undoes what c changed in a file that others changed since. It reports false if they changed the same
// lines. It also reports false if one of the three texts is missing: a file that was deleted and created again has no
// line in common with the old one. In the index, the lines of others are always kept.
func undoChange(c state.Change, after []byte, disk memory.File, before []byte) (merged []byte, ok bool) {
	if disk.Sum == unreadable {
		return nil, false
	}
	if c.Name.IsIndex() {
		return append([]byte{}, merge.Entries(after, disk.Data, before)...), true
	}
	if c.Before == "" || c.After == "" || disk.Sum == "" {
		return nil, false
	}
	now := memory.ParseTopic(disk.Data)
	merged, ok = merge.Lines(now.Restamp(after), disk.Data, now.Restamp(before))
	return merged, ok && memory.ParseTopic(merged).HasFrontmatter() == now.HasFrontmatter()
}

// Restore stages data, with the time that it had, as the content of n, in place of its present content. It fails
// with a *TwinError where n would be another spelling of what is there.
func (s *Stage) Restore(n memory.Name, data []byte, mtime time.Time) error {
	if err := n.Writable(); err != nil && !n.IsIndex() {
		return err
	}
	disk, err := s.dir.ReadIfAny(n)
	if err == nil {
		err = s.checkSpelling(n, disk.Sum != "")
	}
	if err == nil {
		_, err = s.Replace(n, disk.Sum, data, mtime)
	}
	return err
}

// unreadable is the sum of what is not a memory: a link, a folder, a file that is too large.
const unreadable memory.Sum = "unreadable"

// readOrForeign is Dir.ReadIfAny for a name at which there may be something of others that is not a
// memory. That has the sum unreadable.
func readOrForeign(d *memory.Dir, n memory.Name) (memory.File, error) {
	f, err := d.ReadIfAny(n)
	if errors.Is(err, memory.ErrNotRegular) || errors.Is(err, memory.ErrTooLarge) {
		return memory.File{Name: n, Sum: unreadable}, nil
	}
	return f, err
}
