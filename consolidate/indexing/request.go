package indexing

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
)

// Diff returns what t would change, the index included, as a unified diff.
func Diff(t *ops.Tx, e *Index) (d []byte, err error) {
	err = Each(t, e, func(n memory.Name, before, after []byte) {
		d = append(d, ops.DiffOf(n, before, after, t.Dir.AllowSecrets)...)
	})
	return d, err
}

// Each calls do with each file that t would change, the index last, as it is on disk and as it would be; nil: no file.
func Each(t *ops.Tx, e *Index, do func(n memory.Name, before, after []byte)) error {
	for _, c := range All(t, e) {
		before, err := t.Dir.ReadIfAny(c.Name)
		if err != nil {
			return err
		}
		after, _ := e.content()
		if after == nil || !c.Name.IsIndex() {
			if after, err = t.Stage.Content(c.After); err != nil {
				return err
			}
		}
		do(c.Name, before.Data, after)
	}
	return nil
}

// For returns the index as the dream would leave it, with what r asks of it.
func For(t *ops.Tx, r ops.FinalizeRequest) (*Index, error) {
	e, err := Edit(t)
	if err != nil {
		return nil, err
	}
	if r.Content != nil {
		if r.Base == "" && e.Base != "" || r.Base != "" && !e.Base.Is(r.Base) {
			return nil, &ops.BaseError{Name: memory.IndexName, Base: r.Base, Have: e.Base}
		}
		if len(*r.Content) > memory.MaxFileBytes {
			return nil, fmt.Errorf("%s: %w", memory.IndexName, memory.ErrTooLarge)
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
		if err := e.setLine(line, n, t); err != nil {
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
	e.Full = nil
	for _, p := range rule.Propose(after) {
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
		return ops.Refuse("remove names nothing", "name a file as the index does, or a line by its text")
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
				"read_memory {\"paths\": [\"MEMORY.md\"]} shows its lines; name a file as the index does, or a line by its text; one without a link also by \"its beginning…\", \"section:NAME\" or \"/expression/\"")
		}
	}
	return nil
}

// All returns what t changes, the index included.
func All(t *ops.Tx, e *Index) []state.Change {
	changes := slices.Clone(t.Changes)
	if content, base := e.content(); e.Changed() {
		changes = append(changes, state.Change{Name: memory.IndexName, Before: base, After: memory.SumOf(content)})
	}
	return changes
}
