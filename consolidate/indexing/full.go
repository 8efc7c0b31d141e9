package indexing

import (
	"cmp"
	"slices"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

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

// unindexed returns the memories that have no line because the index was full.
func unindexed(s *ops.Records) (files []string) {
	files, _ = state.Unindexed.Get(s.Look()) // without it there are none
	return files
}

// WithoutLine returns the memories that index x of dir does not name because it is full.
func WithoutLine(s *ops.Records, dir *memory.Dir, x *memory.Index) []string {
	return slices.DeleteFunc(unindexed(s), func(file string) bool {
		n, err := memory.ParseName(file)
		if err == nil && !x.Mentions(n) {
			_, err = dir.Read(n)
			return err != nil
		}
		return true
	})
}

// nameCreated gives a line to each memory that t creates and the index does not name, and to those that had no line
// because the index was full, as far as there is room, but for those in except.
func nameCreated(t *ops.Tx, e *Index, except ...string) error {
	e.Full = slices.DeleteFunc(e.Full, func(n memory.Name) bool { return e.Line(n) == "" }) // looked at again
	waited := unindexed(t.Notes())
	var wanted []string
	for _, c := range t.Changes {
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
	missing := rule.Propose(after)
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

// noteFull keeps which memories have no line because the index is full, in the order in which they are to get one, and
// some that may not have theirs yet.
func noteFull(t *ops.Tx, e *Index, more ...memory.Name) error {
	full := []string{}
	for _, n := range slices.Concat(e.Full, more) {
		if slices.Contains(more, n) || e.Line(n) == "" {
			full = append(full, n.String())
		}
	}
	waited := unindexed(t.Notes())
	slices.SortStableFunc(full, func(a, b string) int { // those that wait longer first
		return cmp.Compare(uint(slices.Index(waited, a)), uint(slices.Index(waited, b)))
	})
	if slices.Equal(waited, full) {
		return nil
	}
	return state.Unindexed.Set(t.Notes().DB(), full)
}
