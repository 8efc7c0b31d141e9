package consolidate

import (
	"context"
	"maps"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// Fixed is the result of FixIndex.
type Fixed struct {
	Added   []string `json:"added"`   // memories that got a line
	Removed []string `json:"removed"` // files of the lines that were removed
	Undo    string   `json:"undo,omitempty"`
}

// FixIndex adds a line for each memory that the index does not name, and removes lines that point to missing files, and repeated
// lines. It is a transaction of its own, and can be undone.
func (p *Project) FixIndex(ctx context.Context) (Fixed, error) {
	p.Store.Lock()
	defer p.Store.Unlock()
	var fixed Fixed
	if err := p.enter(Consolidating); err != nil {
		return fixed, err
	}
	info := p.Store.New(lock.KindWrite)
	info.Reason = "the person asked for lint --fix"
	landed, err := p.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		plan, err := p.plan(t, ops.FinalizeRequest{Adopt: true})
		edit := plan.index
		if edit == nil {
			return none, err
		}
		repeated := edit.RemoveRepeated()
		if edit.None || !edit.Changed() {
			return none, nil
		}
		had, has := memory.ParseIndex(edit.Before).ByFile(), edit.ByFile()
		fixed.Added, fixed.Removed = onlyIn(has, had), append(onlyIn(had, has), repeated...)
		return edit.Landing(t), err
	})
	if err != nil || landed.ID == "" {
		return Fixed{}, err
	}
	fixed.Undo = "dream-mcp undo " + landed.ID
	return fixed, nil
}

// onlyIn returns the files that others do not name.
func onlyIn(files, others map[string]memory.Entry) []string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(file string, _ memory.Entry) bool { _, named := others[file]; return named })
	return slices.Sorted(maps.Keys(files))
}
