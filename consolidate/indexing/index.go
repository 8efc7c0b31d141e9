// Package indexing makes the index of a memory that lands with an operation: lines for new memories, lines that follow the
// descriptions of changed ones, and what a dream asks for, within what a host loads.
package indexing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
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
	return memory.File{Name: ops.IndexName, Data: e.Index.Bytes(), Sum: e.Base}, nil
}

// Edit returns the index as t would leave it without further requests: the file on disk without the lines of memories
// that t deletes, with the lines that its writes asked for, and with one for each memory that it creates.
func Edit(t *ops.Tx) (*Index, error) {
	f, err := t.Dir.Read(ops.IndexName)
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
	for _, c := range t.Stage.Changes {
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
		if err := e.Name(line, n, t.Stage); err != nil {
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

// ifItFits makes a change about n, unless the index would then have more than a host loads, and more than it had.
func (e *Index) ifItFits(n memory.Name, change func() error) error {
	was, none := e.Index.Bytes(), e.None
	hadLines, hadBytes := e.Index.Size()
	if err := change(); err != nil {
		return err
	}
	lines, bytes := e.Index.Size()
	if lines > max(hadLines, memory.MaxIndexLines) || bytes > max(hadBytes, memory.MaxIndexBytes) {
		e.Index, e.None = memory.ParseIndex(was), none
		e.Full = append(e.Full, n)
	}
	return nil
}

// follow derives the lines of the memories that t changes again, where they were derived from the name and the description. Of
// the others it notes what there is to look at.
func follow(t *ops.Tx, e *Index) error {
	entries := e.ByFile()
	for _, c := range t.Stage.Changes {
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

// Foresee returns the memory on disk, and as it would be with the stage and the index e landed (nil: the index as it is).
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

// textOf returns the text that the line of a changed memory was about: what is on disk, or for a new name what it had under its old
// one; nil if that is not known.
func textOf(t *ops.Tx, c ops.Change) []byte {
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

// fullNote is the list of the memories that have no line because the index was full.
const fullNote = "full.json"

// waitForRoom returns the memories that have no line because the index was full.
func waitForRoom(s *ops.Folder) (files []string) {
	s.Note(fullNote, &files) // without it there are none
	return files
}

// WithoutLine returns the memories that index x of dir does not name because it is full.
func WithoutLine(s *ops.Folder, dir *memory.Dir, x *memory.Index) []string {
	return slices.DeleteFunc(waitForRoom(s), func(file string) bool {
		n, err := memory.ParseName(file)
		if err == nil && !x.Mentions(n) {
			_, err = dir.Read(n)
			return err != nil
		}
		return true
	})
}

// nameCreated gives a line to each memory that t creates and the index does not name, and to those that had no line because
// the index was full, as far as there is room, but for those in except.
func nameCreated(t *ops.Tx, e *Index, except ...string) error {
	e.Full = slices.DeleteFunc(e.Full, func(n memory.Name) bool { return e.Line(n) == "" }) // looked at again
	waited := waitForRoom(t.Notes())
	var wanted []string
	for _, c := range t.Stage.Changes {
		if c.Before == "" {
			wanted = append(wanted, c.Name.String())
		}
	}
	if len(wanted)+len(waited) == 0 {
		return nil
	}
	_, after, err := Foresee(t, e)
	if err != nil {
		return err
	}
	missing, _ := rule.Propose(after, t.Notes().InProject)
	for i, file := range append(wanted, waited...) {
		at := slices.IndexFunc(missing, func(p rule.Proposal) bool { return p.File.String() == file })
		if at < 0 || slices.Contains(except, file) || i >= len(wanted) && slices.Contains(wanted, file) {
			continue
		}
		switch p := missing[at]; {
		case !e.HasRoom(p.Line):
			e.Full = append(e.Full, p.File)
		default:
			e.Upsert(p.File, p.Title, p.Hook, "")
			if i >= len(wanted) {
				e.Came = append(e.Came, p.File)
			}
		}
	}
	return nil
}

// noteFull keeps which memories have no line because the index is full, in the order in which they are to get one, and some that
// may not have theirs yet.
func noteFull(t *ops.Tx, e *Index, more ...memory.Name) error {
	full := []string{}
	for _, n := range slices.Concat(e.Full, more) {
		if slices.Contains(more, n) || e.Line(n) == "" {
			full = append(full, n.String())
		}
	}
	waited := waitForRoom(t.Notes())
	slices.SortStableFunc(full, func(a, b string) int { // those that wait longer first
		return cmp.Compare(uint(slices.Index(waited, a)), uint(slices.Index(waited, b)))
	})
	if slices.Equal(waited, full) {
		return nil
	}
	return t.Notes().SetNote(fullNote, full)
}

// Name names n in the index, if the line fits.
func (e *Index) Name(line ops.IndexLine, n memory.Name, stage *ops.Stage) error {
	return e.ifItFits(n, func() error { return e.name(line, n, stage) })
}

// name names n in the index. A new entry takes what the line leaves empty from the name and description of the memory.
func (e *Index) name(line ops.IndexLine, n memory.Name, stage *ops.Stage) error {
	if e.Line(n) == "" && (line.Title == "" || line.Hook == "") {
		f, _, err := stage.Read(n)
		if errors.Is(err, fs.ErrNotExist) {
			return ops.Refuse(fmt.Sprintf("the index cannot name %q: there is no such memory", n), ops.DidYouMean(stage.Nearest(n), "name only memories that exist"))
		}
		if err != nil {
			return fmt.Errorf("the index cannot name %q: %w", n, err)
		}
		p := rule.ProposeEntry(n, memory.ParseTopic(f.Data).Shown(stage.Allowed()))
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

// Diff returns what t would change, the index included, as a unified diff.
func Diff(t *ops.Tx, e *Index) ([]byte, error) {
	index, _ := e.content()
	return t.Stage.Diff(index)
}

// For returns the index as the dream would leave it, with what r asks of it.
func For(t *ops.Tx, r ops.FinalizeRequest) (*Index, error) {
	e, err := Edit(t)
	if err != nil {
		return nil, err
	}
	if r.Content != nil {
		if r.Base == "" && e.Base != "" || r.Base != "" && !e.Base.Is(r.Base) {
			return nil, &ops.BaseError{Name: ops.IndexName, Base: r.Base, Have: e.Base}
		}
		if len(*r.Content) > memory.MaxFileBytes {
			return nil, fmt.Errorf("%s: %w", ops.IndexName, memory.ErrTooLarge)
		}
		e.Index, e.None = memory.ParseIndex([]byte(*r.Content)), false
	}
	if err := e.remove(r.Remove, t.Dir.AllowSecrets); err != nil {
		return nil, err
	}
	for _, line := range r.Upsert {
		n, err := memory.ParseName(line.File)
		if err == nil && n.IsIndex() {
			err = errors.New("the index does not list itself")
		}
		if err != nil {
			return nil, ops.Refuse(fmt.Sprintf("upsert %q: %v", line.File, err), "name a memory as name.md or folder/name.md")
		}
		if err := e.name(line, n, t.Stage); err != nil {
			return nil, err
		}
	}
	if !r.Adopt {
		if r.Content != nil || e.None {
			return e, nil
		}
		return e, nameCreated(t, e, r.Remove...)
	}
	_, after, err := Foresee(t, e)
	if err != nil {
		return nil, err
	}
	if after.Index == nil {
		after.Index = memory.ParseIndex(nil)
	}
	missing, dangling := rule.Propose(after, t.Notes().InProject)
	e.Index.Remove(dangling...)
	e.Full = nil
	for _, p := range missing {
		if p.Hook == "" {
			continue // it may be anything
		}
		if !e.HasRoom(p.Line) {
			e.Full = append(e.Full, p.File)
			continue
		}
		e.Index.Upsert(p.File, p.Title, p.Hook, "")
		e.None = false
	}
	return e, nil
}

// remove removes entries by their file, and lines without a link by their text.
func (e *Index) remove(asked []string, allowed secret.Allowed) error {
	if slices.ContainsFunc(asked, func(text string) bool { return strings.TrimSpace(text) == "" }) {
		return ops.Refuse("remove names nothing", "name a file as the index does, or a line without a link by its text")
	}
	files := make(map[string]bool)
	for _, entry := range e.Entries() {
		files[entry.File] = true
	}
	e.Remove(asked...)
	texts := slices.DeleteFunc(slices.Clone(asked), func(text string) bool { return files[text] || files[path.Clean(text)] })
	for _, text := range e.RemoveLines(allowed, texts...) {
		if !strings.HasSuffix(text, ".md") {
			return ops.Refuse(fmt.Sprintf("remove %.80q: the index has no such line", text),
				"read_memory {\"paths\": [\"MEMORY.md\"]} shows its lines; name a file as the index does, or a line without a link by its text, \"its beginning…\", \"section:NAME\" or \"/expression/\"")
		}
	}
	return nil
}

// All returns what t changes, the index included.
func All(t *ops.Tx, e *Index) []ops.Change {
	changes := slices.Clone(t.Stage.Changes)
	if content, base := e.content(); e.Changed() {
		changes = append(changes, ops.Change{Name: ops.IndexName, Before: base, After: memory.SumOf(content)})
	}
	return changes
}
