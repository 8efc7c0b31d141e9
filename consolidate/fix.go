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
	Added []string `json:"added"` // memories that got a line
	Undo  string   `json:"undo,omitempty"`
}

// FixIndex adds a line for each memory that the index does not name. It is a transaction of its own, and can be undone.
func (p *Project) FixIndex(ctx context.Context) (Fixed, error) {
	defer p.Store.Lock()()
	var fixed Fixed
	if err := p.enter(Consolidating); err != nil {
		return fixed, err
	}
	info := p.Store.New(lock.KindWrite)
	info.Reason = "the person asked for lint --fix"
	landed, err := p.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		plan, err := p.plan(t, ops.FinalizeRequest{Adopt: true}, false)
		edit := plan.index
		if edit == nil || edit.None || !edit.Changed() {
			return none, err
		}
		had, has := memory.ParseIndex(edit.Before).ByFile(), edit.ByFile()
		maps.DeleteFunc(has, func(file string, _ memory.Entry) bool { _, named := had[file]; return named })
		fixed.Added = slices.Sorted(maps.Keys(has))
		return edit.Landing(t), err
	})
	if err != nil || landed.ID == "" {
		return Fixed{}, err
	}
	fixed.Undo = "dream-mcp undo " + landed.ID
	return fixed, nil
}
