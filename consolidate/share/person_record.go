package share

import (
	"errors"
	"io/fs"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// lastChange returns the last change of n in the memories of all; nil if none is recorded.
func (p *Person) lastChange(n memory.Name) (*state.Change, error) {
	for e, err := range p.all.Records.Newest(state.LogQuery{File: n.String()}) {
		if err != nil {
			return nil, err
		}
		if e.Outcome != ops.Committed {
			continue
		}
		o, err := p.all.Records.Op(e.ID)
		if err != nil {
			return nil, ignoreMissing(err)
		}
		c, _ := o.Change(n)
		return &c, nil
	}
	return nil, nil
}

// ended reports whether an operation deleted n from the memories of all, and returns the text that it deleted; nil if
// the archive lost it.
func (p *Person) ended(n memory.Name) (last []byte, ended bool, err error) {
	c, err := p.lastChange(n)
	if err != nil || c == nil || c.After != "" {
		return nil, false, err
	}
	last, err = p.all.Records.Content(c.Before)
	return last, true, ignoreMissing(err)
}

// damaged reports whether the file of n, which has this text, is not as an operation left it in the memories of all,
// and returns the text that it left; nil if the archive lost it. Damage is not an answer of another project.
func (p *Person) damaged(n memory.Name, text []byte) (recorded []byte, damaged bool, err error) {
	c, err := p.lastChange(n)
	if err != nil || c == nil || c.After == "" || text != nil && c.After == memory.SumOf(text) {
		return nil, false, err
	}
	recorded, err = p.all.Records.Content(c.After)
	return recorded, true, ignoreMissing(err)
}

// writer says which project last changed what is in all.
func (p *Person) writer() (where string) {
	for e, err := range p.all.Records.Newest(state.LogQuery{}) {
		if err != nil || e.Reason != "" {
			return e.Reason // without it the texts are merged all the same
		}
	}
	return ""
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
