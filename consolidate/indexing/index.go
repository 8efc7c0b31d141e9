// Package indexing makes the index of a memory that lands with an operation: lines for new memories, lines that follow
// the descriptions of changed ones, and what a dream asks for, within what a host loads.
package indexing

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Index is the index as it is on disk and as it should be.
type Index struct {
	*memory.Index
	Before []byte
	Base   memory.Sum // "": there is none
	None   bool       // there is none, and the memory is not new: it has one only if it is asked for

	Full  []memory.Name  // memories whose new line does not fit into what a host loads
	Came  []memory.Name  // memories whose line did not fit before, and is there now
	Wrote []rule.Finding // lines that somebody wrote and that t does not change, beside the new descriptions
}

// Changed reports whether e must be written.
func (e *Index) Changed() bool { return e != nil && !bytes.Equal(e.Index.Bytes(), e.Before) }

// content returns the content to land, or nil if nothing changes.
func (e *Index) content() (data []byte, base memory.Sum) {
	if !e.Changed() {
		return nil, ""
	}
	return e.Index.Bytes(), e.Base
}

// Landing returns e, which may be nil, to land with t.
func (e *Index) Landing(t *ops.Tx) (n ops.NewIndex) {
	if e == nil {
		return n
	}
	n.Content, n.Base = e.content()
	n.Before = func() error { return noteFull(t, e, e.Came...) }
	if len(e.Came) > 0 {
		n.After = func() { _ = noteFull(t, e) } // without it they are looked for again
	}
	return n
}

// Size returns how much of the host's limits the index will use.
func (e *Index) Size() ops.IndexSize {
	if e.None {
		return ops.SizeOf(nil)
	}
	return ops.SizeOf(e.Index)
}

// Line returns the line of the index that names n.
func (e *Index) Line(n memory.Name) string { return e.ByFile()[n.String()].Text }

// Read returns the index as the dream would leave it. Its sum is that of the file on disk, the base of a
// finalize that rewrites it.
func Read(t *ops.Tx) (memory.File, error) {
	e, err := Edit(t)
	if err == nil && e.Base == "" && !e.Changed() {
		err = &fs.PathError{Op: "read", Path: memory.IndexFile, Err: fs.ErrNotExist}
	}
	if err != nil {
		return memory.File{}, err
	}
	return memory.File{Name: memory.IndexName, Data: e.Index.Bytes(), Sum: e.Base}, nil
}

// Edit returns the index as t would leave it without further requests: the file on disk without the lines of memories
// that t deletes, with the lines that its writes asked for, and with one for each memory that it creates.
func Edit(t *ops.Tx) (*Index, error) {
	f, err := t.Dir.Read(memory.IndexName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e := &Index{Index: memory.ParseIndex(f.Data), Before: f.Data, Base: f.Sum}
	if f.Sum == "" {
		before, err := t.Dir.Snapshot()
		if err != nil {
			return nil, err
		}
		e.None = len(before.Topics) > 0
		if e.None && len(t.IndexLines) > 0 && t.Kind == lock.KindWrite {
			return nil, ops.Refuse("this memory has no MEMORY.md, and one with a single line would hide the other memories",
				"leave index out, or let a dream make the index: dream_orient, then finalize_index {\"adopt\": true}")
		}
	}
	deleted := make(map[memory.Name]bool)
	for _, c := range t.Changes {
		if deleted[c.Name] = c.After == ""; deleted[c.Name] {
			e.Index.Remove(c.Name.String())
		}
	}
	for _, line := range t.IndexLines {
		n, err := memory.ParseName(line.File)
		if err != nil {
			return nil, err
		}
		if deleted[n] {
			continue
		}
		if err := e.Name(line, n, t); err != nil {
			return nil, err
		}
	}
	if e.None {
		return e, nil
	}
	if err := follow(t, e); err != nil || t.Kind == lock.KindRestore { // which names what it restores
		return e, err
	}
	return e, nameCreated(t, e)
}

// follow derives the lines of the memories that t changes again, where they were derived from the name and the
// description. Of the others it notes what there is to look at.
func follow(t *ops.Tx, e *Index) error {
	entries := e.ByFile()
	for _, c := range t.Changes {
		entry, named := entries[c.Name.String()]
		was := textOf(t, c)
		if c.After == "" || !named || was == nil {
			continue
		}
		data, err := t.Stage.Content(c.After)
		if err != nil {
			return err
		}
		show := t.Dir.AllowSecrets
		before, after := memory.ParseTopic(was).Shown(show), memory.ParseTopic(data).Shown(show)
		given := slices.ContainsFunc(t.IndexLines, func(l ops.IndexLine) bool {
			return l.File == c.Name.String() && l.Hook != "" && !l.Inherited
		})
		_, bytes := e.Index.Size()
		title, hook := rule.Follow(entry, c.Name, before, after, memory.MaxIndexBytes-bytes)
		if given || title == "" && hook == "" {
			if own, differs := rule.OwnLine(show.Line(entry.Hook), c.Name, before, after); differs && !given {
				e.Wrote = append(e.Wrote, own)
			}
			continue
		}
		err = e.ifItFits(c.Name, func() error {
			e.Upsert(c.Name, title, hook, "")
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Foresee returns the memory on disk, and as it would be with the stage and the index e landed (nil: the index as it
// is).
func Foresee(t *ops.Tx, e *Index) (before, after *memory.Snapshot, err error) {
	if before, err = t.Dir.Snapshot(); err != nil {
		return nil, nil, err
	}
	after, err = t.Stage.Over(before)
	if err == nil && e != nil && !e.None {
		after.Index = e.Index
	}
	return before, after, err
}

// textOf returns the text that the line of a changed memory was about: what is on disk, or for a new name what it had
// under its old one; nil if that is not known.
func textOf(t *ops.Tx, c state.Change) []byte {
	if c.Before != "" {
		f, err := t.Dir.Read(c.Name)
		if err != nil || f.Sum != c.Before { // somebody else changed it meanwhile
			return nil
		}
		return f.Data
	}
	m := t.Merges[c.Name.String()]
	if m == nil || len(m.Replaced) != 1 {
		return nil
	}
	for _, sum := range m.Replaced {
		data, _ := t.Stage.Content(sum)
		return data
	}
	return nil
}

// Name names n in the index, if the line fits.
func (e *Index) Name(line ops.IndexLine, n memory.Name, t *ops.Tx) error {
	return e.ifItFits(n, func() error { return e.setLine(line, n, t) })
}

// setLine names n in the index. A new entry takes what the line leaves empty from the name and description of the
// memory. The name of the file is not a title: who read the index without titles may know no other.
func (e *Index) setLine(line ops.IndexLine, n memory.Name, t *ops.Tx) error {
	if memory.StemOf(line.Title) == memory.StemOf(n.String()) {
		line.Title = ""
	}
	if e.Line(n) == "" && (line.Title == "" || line.Hook == "") {
		f, _, err := t.Stage.Read(n)
		if errors.Is(err, fs.ErrNotExist) {
			return ops.Refuse(fmt.Sprintf("the index cannot name %q: there is no such memory", n), ops.DidYouMean(t.Dir.Nearest(n.String()), "name only memories that exist"))
		}
		if err != nil {
			return fmt.Errorf("the index cannot name %q: %w", n, err)
		}
		p := rule.ProposeEntry(n, memory.ParseTopic(f.Data).Shown(t.Dir.AllowSecrets))
		if line.Title == "" {
			line.Title = p.Title
		}
		if line.Hook == "" {
			line.Hook = p.Hook
		}
	}
	e.Index.Upsert(n, line.Title, line.Hook, line.Section)
	e.None = false
	return nil
}
