package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dream-mcp/consolidate/lock"
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

// Size returns how much of the host's limits the index will use.
func (e *Index) Size() IndexSize {
	if e.None {
		return SizeOf(nil)
	}
	return SizeOf(e.Index)
}

// Line returns the line of the index that names n.
func (e *Index) Line(n memory.Name) string { return e.ByFile()[n.String()].Text }

// IndexName is the name of the index.
var IndexName, _ = memory.ParseName(memory.IndexFile)

// ReadIndex returns the index as the dream would leave it. Its sum is that of the file on disk, the base of a
// finalize that rewrites it.
func (t *Tx) ReadIndex() (memory.File, error) {
	e, err := t.EditIndex()
	if err == nil && e.Base == "" && !e.Changed() {
		err = &fs.PathError{Op: "read", Path: memory.IndexFile, Err: fs.ErrNotExist}
	}
	if err != nil {
		return memory.File{}, err
	}
	return memory.File{Name: IndexName, Data: e.Index.Bytes(), Sum: e.Base}, nil
}

// EditIndex returns the index as t would leave it without further requests: the file on disk without the lines of memories
// that t deletes, with the lines that its writes asked for, and with one for each memory that it creates.
func (t *Tx) EditIndex() (*Index, error) {
	f, err := t.Dir.Read(IndexName)
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
			return nil, Refuse("this memory has no MEMORY.md, and one with a single line would hide the other memories",
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
	if t.Kind == lock.KindRestore || e.None { // it has a line of its own
		return e, nil
	}
	return e, t.nameCreated(e)
}

// Foresee returns the memory on disk, and as it would be with the stage and the index e landed (nil: the index as it is).
func (t *Tx) Foresee(e *Index) (before, after *memory.Snapshot, err error) {
	if before, err = t.Dir.Snapshot(); err != nil {
		return nil, nil, err
	}
	after, err = t.Stage.Over(before)
	if err == nil && e != nil && !e.None {
		after.Index = e.Index
	}
	return before, after, err
}

// nameCreated gives each memory that t creates, and that the index does not name, a line.
func (t *Tx) nameCreated(e *Index) error {
	created := make(map[memory.Name]bool)
	for _, c := range t.Stage.Changes {
		if c.Before == "" {
			created[c.Name] = true
		}
	}
	if len(created) == 0 {
		return nil
	}
	_, after, err := t.Foresee(e)
	if err != nil {
		return err
	}
	missing, _ := rule.Propose(after)
	for _, p := range missing {
		if created[p.File] {
			e.Upsert(p.File, p.Title, p.Hook, "")
		}
	}
	return nil
}

// Name names n in the index. A new entry takes what the line leaves empty from the name and description of the memory.
func (e *Index) Name(line IndexLine, n memory.Name, stage *Stage) error {
	if e.Line(n) == "" && (line.Title == "" || line.Hook == "") {
		f, _, err := stage.Read(n)
		if errors.Is(err, fs.ErrNotExist) {
			return Refuse(fmt.Sprintf("the index cannot name %q: there is no such memory", n), DidYouMean(stage.Nearest(n), "name only memories that exist"))
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

// IndexSize is how much of the host's limits the index uses.
type IndexSize struct {
	Lines    int `json:"lines"`
	Bytes    int `json:"bytes"`
	MaxLines int `json:"max_lines"`
	MaxBytes int `json:"max_bytes"`
}

// SizeOf returns the size of an index. If it is nil, only the limits are set.
func SizeOf(index *memory.Index) IndexSize {
	s := IndexSize{MaxLines: memory.MaxIndexLines, MaxBytes: memory.MaxIndexBytes}
	if index != nil {
		s.Lines, s.Bytes = index.Size()
	}
	return s
}

// Diff returns what t would change, the index included, as a unified diff.
func (t *Tx) Diff(e *Index) ([]byte, error) {
	index, _ := e.content()
	return t.Stage.Diff(index)
}

// IndexFor returns the index as the dream would leave it, with what r asks of it.
func (t *Tx) IndexFor(r FinalizeRequest) (*Index, error) {
	e, err := t.EditIndex()
	if err != nil {
		return nil, err
	}
	if r.Content != nil {
		if r.Base == "" && e.Base != "" || r.Base != "" && !e.Base.Is(r.Base) {
			return nil, &BaseError{Name: IndexName, Base: r.Base, Have: e.Base}
		}
		if len(*r.Content) > memory.MaxFileBytes {
			return nil, fmt.Errorf("%s: %w", IndexName, memory.ErrTooLarge)
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
			return nil, Refuse(fmt.Sprintf("upsert %q: %v", line.File, err), "name a memory as name.md or folder/name.md")
		}
		if err := e.Name(line, n, t.Stage); err != nil {
			return nil, err
		}
	}
	if !r.Adopt {
		return e, nil
	}
	_, after, err := t.Foresee(e)
	if err != nil {
		return nil, err
	}
	if after.Index == nil {
		after.Index = memory.ParseIndex(nil)
	}
	missing, dangling := rule.Propose(after)
	// An index with one line too many is refused. More lines would only cost time.
	for _, p := range missing[:min(len(missing), memory.MaxIndexLines+1)] {
		e.Index.Upsert(p.File, p.Title, p.Hook, "")
		e.None = false
	}
	e.Index.Remove(dangling...)
	return e, nil
}

// remove removes entries by their file, and lines without a link by their text.
func (e *Index) remove(asked []string, allowed secret.Allowed) error {
	if slices.ContainsFunc(asked, func(text string) bool { return strings.TrimSpace(text) == "" }) {
		return Refuse("remove names nothing", "name a file as the index does, or a line without a link by its text")
	}
	files := make(map[string]bool)
	for _, entry := range e.Entries() {
		files[entry.File] = true
	}
	e.Remove(asked...)
	texts := slices.DeleteFunc(slices.Clone(asked), func(text string) bool { return files[text] || files[path.Clean(text)] })
	for _, text := range e.RemoveLines(allowed, texts...) {
		if !strings.HasSuffix(text, ".md") {
			return Refuse(fmt.Sprintf("remove %.80q: the index has no such line", text),
				"read_memory {\"paths\": [\"MEMORY.md\"]} shows its lines; name a file as the index does, or a line without a link by its whole text")
		}
	}
	return nil
}

// All returns what t changes, the index included.
func (t *Tx) All(e *Index) []Change {
	changes := slices.Clone(t.Stage.Changes)
	if content, base := e.content(); e.Changed() {
		changes = append(changes, Change{Name: IndexName, Before: base, After: memory.SumOf(content)})
	}
	return changes
}

// Look opens the stage of an operation that ended. The transaction holds no lock and cannot land. The caller closes its Folder.
func (s *Store) Look(dir *memory.Dir, info Op) (*Tx, error) {
	folder, err := s.OpenFolder(info.ID)
	if err != nil {
		return nil, err
	}
	stage, err := OpenStage(dir, folder)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &Tx{Op: info, Dir: dir, Folder: folder, Stage: stage, s: s}, nil
}
