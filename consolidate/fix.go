package consolidate

import (
	"context"
	"slices"

	"dream-mcp/consolidate/lock"
)

// Fixed says what FixIndex did.
type Fixed struct {
	Added   []string `json:"added"`   // memories that have a line now
	Removed []string `json:"removed"` // files that the index no longer points to
	Undo    string   `json:"undo,omitempty"`
}

// FixIndex adds a line for each memory that the index does not name, and removes the pointers to files
// that do not exist. It is a transaction of its own, as a single write is, and can be undone.
func (p *Project) FixIndex(ctx context.Context) (Fixed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fixed Fixed
	if err := p.enter(Consolidating); err != nil {
		return fixed, err
	}
	id, landed, err := p.transact(ctx, Info{Kind: lock.KindWrite, Reason: "the person asked for lint --fix"}, func(d *dream) (*indexEdit, error) {
		edit, err := d.editIndex()
		if err != nil || edit.rests {
			return nil, err
		}
		had := indexLines(edit.before)
		if err := edit.apply(FinalizeRequest{Adopt: true}, d); err != nil || !edit.changed() {
			return nil, err
		}
		has := indexLines(edit.index.Bytes())
		for file := range has {
			if _, stood := had[file]; !stood {
				fixed.Added = append(fixed.Added, file)
			}
		}
		for file := range had {
			if _, stays := has[file]; !stays {
				fixed.Removed = append(fixed.Removed, file)
			}
		}
		slices.Sort(fixed.Added)
		slices.Sort(fixed.Removed)
		_, err = p.checkWhole(d, edit, nil, p.o.Now())
		return edit, err
	})
	if err != nil || id == "" {
		return Fixed{}, err
	}
	fixed.Undo = "dream-mcp undo " + id
	p.changed(landed.Changes)
	return fixed, nil
}
