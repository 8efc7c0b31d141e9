package consolidate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// indexEdit is the index as it is on disk and as it should be.
type indexEdit struct {
	index  *memory.Index
	before []byte
	base   memory.Sum // "": there is none
	rests  bool       // there is none, and the memory is not new: it has one only if it is asked for
}

func (e *indexEdit) changed() bool { return !bytes.Equal(e.index.Bytes(), e.before) }

// line returns the line of the index that names n.
func (e *indexEdit) line(n memory.Name) string {
	for _, entry := range e.index.Entries() {
		if entry.File == n.String() {
			return entry.Text
		}
	}
	return ""
}

var indexName, _ = memory.ParseName(memory.IndexFile)

// readIndex returns the index as the dream would leave it. Its sum is that of the file on disk, the base of a
// finalize that rewrites it.
func (d *dream) readIndex() (memory.File, error) {
	e, err := d.editIndex()
	if err == nil && e.base == "" && !e.changed() {
		err = &fs.PathError{Op: "read", Path: memory.IndexFile, Err: fs.ErrNotExist}
	}
	if err != nil {
		return memory.File{}, err
	}
	return memory.File{Name: indexName, Data: e.index.Bytes(), Sum: e.base}, nil
}

// editIndex returns the index as the dream would leave it without further requests: the file on disk without the
// lines of memories that the dream deletes, and with the lines that its writes asked for.
func (d *dream) editIndex() (*indexEdit, error) {
	f, err := d.dir.Read(indexName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e := &indexEdit{index: memory.ParseIndex(f.Data), before: f.Data, base: f.Sum}
	if f.Sum == "" {
		before, err := d.dir.Snapshot()
		if err != nil {
			return nil, err
		}
		e.rests = len(before.Topics) > 0
		if e.rests && len(d.IndexLines) > 0 {
			if d.Kind == lock.KindWrite {
				return nil, &RequestError{"this memory has no MEMORY.md, and one with a single line would hide the other memories", "leave index out, or let a dream make the index: dream_orient, then finalize_index {\"adopt\": true}"}
			}
			e.rests = false
		}
	}
	if d.Kind == lock.KindDream {
		for _, c := range d.stage.Changes {
			if c.After == "" {
				e.index.Remove(c.Name.String())
			}
		}
	}
	for _, line := range d.IndexLines {
		n, err := memory.ParseName(line.File)
		if err != nil {
			return nil, err
		}
		if d.deletes(n) {
			continue
		}
		if err := e.upsert(line, n, d.stage); err != nil {
			return nil, err
		}
	}
	if d.Kind != lock.KindDream || e.rests {
		return e, nil
	}
	return e, d.nameCreated(e)
}

// nameCreated gives each memory that the dream creates, and that the index does not name, a line.
func (d *dream) nameCreated(e *indexEdit) error {
	created := make(map[memory.Name]bool)
	for _, c := range d.stage.Changes {
		if c.Before == "" {
			created[c.Name] = true
		}
	}
	if len(created) == 0 {
		return nil
	}
	before, err := d.dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := d.after(before, e)
	if err != nil {
		return err
	}
	missing, _ := rule.Propose(after)
	for _, p := range missing {
		if created[p.File] {
			e.index.Upsert(p.File, p.Title, p.Hook, "")
		}
	}
	return nil
}

func (d *dream) deletes(n memory.Name) bool {
	return slices.ContainsFunc(d.stage.Changes, func(c landing.Change) bool { return c.Name == n && c.After == "" })
}

// upsert names n in the index. What the line leaves open, a new entry takes from the memory's own
// name and description.
func (e *indexEdit) upsert(line IndexLine, n memory.Name, stage *landing.Stage) error {
	if e.line(n) == "" && (line.Title == "" || line.Hook == "") {
		f, _, err := stage.Read(n)
		if errors.Is(err, fs.ErrNotExist) {
			return &RequestError{fmt.Sprintf("the index cannot name %q: there is no such memory", n), didYouMean(stage.Nearest(n), "name only memories that exist")}
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
	e.index.Upsert(n, line.Title, line.Hook, line.Section)
	e.rests = false
	return nil
}

// apply carries out what a finalize asks of the index.
func (e *indexEdit) apply(r FinalizeRequest, d *dream) error {
	if r.Content != nil {
		if r.Base == "" && e.base != "" || r.Base != "" && !e.base.Is(r.Base) {
			return &landing.BaseError{Name: indexName, Base: r.Base, Have: e.base}
		}
		if len(*r.Content) > memory.MaxFileBytes {
			return fmt.Errorf("%s: %w", indexName, memory.ErrTooLarge)
		}
		e.index, e.rests = memory.ParseIndex([]byte(*r.Content)), false
	}
	if slices.ContainsFunc(r.Remove, func(file string) bool { return strings.TrimSpace(file) == "" }) {
		return &RequestError{"remove names nothing", "name a file as the index does, or a line without a link by its text"}
	}
	targets := make(map[string]bool)
	for _, entry := range e.index.Entries() {
		targets[entry.File] = true
	}
	e.index.Remove(r.Remove...)
	texts := slices.DeleteFunc(slices.Clone(r.Remove), func(text string) bool { return targets[text] || targets[path.Clean(text)] })
	if len(texts) > 0 {
		for _, text := range e.index.RemoveLines(d.dir.AllowSecrets, texts...) {
			if !strings.HasSuffix(text, ".md") {
				return &RequestError{fmt.Sprintf("remove %q: the index has no such line", cutText(text, maxCited)), "read_memory {\"paths\": [\"MEMORY.md\"]} shows its lines; name a file as the index does, or a line without a link by its whole text"}
			}
		}
	}
	for _, line := range r.Upsert {
		n, err := memory.ParseName(line.File)
		if err == nil && n.IsIndex() {
			err = errors.New("the index does not list itself")
		}
		if err != nil {
			return &RequestError{fmt.Sprintf("upsert %q: %v", line.File, err), "name a memory as name.md or folder/name.md"}
		}
		if err := e.upsert(line, n, d.stage); err != nil {
			return err
		}
	}
	if !r.Adopt {
		return nil
	}
	before, err := d.dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := d.after(before, e)
	if err != nil {
		return err
	}
	if after.Index == nil {
		after.Index = memory.ParseIndex(nil)
	}
	missing, dangling := rule.Propose(after)
	// With one more than it may have lines an index is refused: more would only cost time.
	for _, p := range missing[:min(len(missing), memory.MaxIndexLines+1)] {
		e.index.Upsert(p.File, p.Title, p.Hook, "")
		e.rests = false
	}
	e.index.Remove(dangling...)
	return nil
}

// after is the memory as it would be with the stage and the index landed over before.
func (d *dream) after(before *memory.Snapshot, e *indexEdit) (*memory.Snapshot, error) {
	after, err := d.stage.Over(before)
	if err == nil && !e.rests {
		after.Index = e.index
	}
	return after, err
}

// checkWhole asks every rule about the memory as it would be, those in except left out. Errors refuse.
func (p *Project) checkWhole(d *dream, e *indexEdit, accepted map[memory.Name]string, now time.Time, except ...string) ([]rule.Finding, error) {
	before, err := d.dir.Snapshot()
	if err != nil {
		return nil, err
	}
	after, err := d.after(before, e)
	if err != nil {
		return nil, err
	}
	accepted, lost, err := d.mergeLosses(after, accepted)
	if err != nil {
		return nil, err
	}
	check := rule.Check{Before: before, After: after, Touched: d.stage.Touched(), Accepted: accepted, Unattended: d.Unattended, Now: now, OwnWords: p.ownWords(before, after, nil), Project: p.openSubject()}
	findings := slices.DeleteFunc(append(lost, check.Whole()...), func(f rule.Finding) bool { return slices.Contains(except, f.Rule) })
	d.needed = nil
	findings, err = settle(findings, func(f rule.Finding) bool {
		i := slices.IndexFunc(d.Waived, func(w Waiver) bool { return w.Rule == f.Rule && w.File == f.File })
		if i >= 0 && !slices.Contains(d.needed, d.Waived[i]) {
			d.needed = append(d.needed, d.Waived[i])
		}
		return i >= 0
	})
	var refused *RuleError
	if errors.As(err, &refused) {
		if after.Index == nil {
			after.Index = memory.ParseIndex(nil)
		}
		refused.Proposed, _ = rule.Propose(after)
	}
	return findings, err
}
