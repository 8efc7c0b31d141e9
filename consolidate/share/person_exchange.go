package share

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
)

// exchange merges the copies of this project with the memories of all. It lands here first, then there, and then notes
// what both have: after a crash between two of these the next exchange finds what landed on both sides, and merges it
// to the same.
func (p *Person) exchange(ctx context.Context, known map[string]state.Copy, theirs Files) error {
	var names []memory.Name
	for n := range theirs {
		if !n.IsIndex() {
			names = append(names, n)
		}
	}
	for file := range known {
		if n, err := memory.ParseName(file); err == nil && theirs[n] == nil {
			names = append(names, n)
		}
	}
	ours, err := p.here(ctx, names)
	if err != nil {
		return err
	}
	x := exchange{p: p, ours: ours, next: maps.Clone(known), toHere: Files{}, toAll: Files{}}
	for _, n := range names {
		all, isTheirs := theirs[n]
		if err := x.add(n, all, isTheirs); err != nil {
			return err
		}
	}
	if len(x.toHere) > 0 {
		if err := land(ctx, p.Store, ours, x.toHere, theirs[memory.IndexName], "a memory of all your projects, changed last "+p.writer()); err != nil {
			return err
		}
	}
	if len(x.toAll) > 0 {
		index, _ := p.here(ctx, []memory.Name{memory.IndexName})
		if err := land(ctx, p.all, theirs, x.toAll, index[memory.IndexName], "in "+p.Project); err != nil {
			return err
		}
	}
	if maps.Equal(x.next, known) {
		return nil
	}
	return p.setKnown(x.next)
}

// add adds what becomes of n, which has the text all in the memories of all, if it isTheirs.
func (x *exchange) add(n memory.Name, all []byte, isTheirs bool) error {
	was, isKnown := x.next[n.String()]
	if !isKnown || string(all) != was.Text {
		recorded, damaged, err := x.p.damaged(n, all)
		if err != nil {
			return err
		}
		if damaged {
			all, isTheirs = recorded, recorded != nil
		}
		if recorded != nil {
			x.toAll[n] = recorded
		}
	}
	text, isHere := x.ours[n]
	takesPart := isHere && memory.ParseTopic(text).IsPersons()
	switch {
	case !isTheirs:
		return x.addEnded(n, was, text, takesPart)
	case isKnown && takesPart && !was.Except:
		return x.merge(n, was, text, all)
	case !isKnown && !isHere:
		x.toHere[n] = all
		x.next[n.String()] = state.Copy{Text: string(all)}
	case !isKnown && string(withoutSources(text)) == string(all): // it landed before a crash, or came by another way
		x.next[n.String()] = state.Copy{Text: string(all)}
	}
	return nil
}

// merge merges the copy text of this project with the text of all.
func (x *exchange) merge(n memory.Name, was state.Copy, text, all []byte) error {
	here, merged, err := mergeCopy(n, was, text, all)
	if err != nil {
		return err
	}
	if string(here) != string(text) {
		x.toHere[n] = here
	}
	if string(merged) != string(all) || x.toAll[n] != nil {
		x.toAll[n] = merged
	}
	x.next[n.String()] = state.Copy{Text: string(merged), Ours: was.Ours}
	return nil
}

// addEnded adds what becomes of n where the memories of all lack it: it is new there, or it was ended.
func (x *exchange) addEnded(n memory.Name, was state.Copy, text []byte, takesPart bool) error {
	last, ended, err := x.p.ended(n)
	switch {
	case err != nil:
		return err
	case takesPart && (was.New || !ended && !was.Except):
		x.toAll[n] = withoutSources(text)
		x.next[n.String()] = state.Copy{Text: string(x.toAll[n]), Ours: was.Ours}
		return nil
	case !ended && !was.New:
		return nil // another project has a copy, or none has
	case takesPart && !was.Ours && string(withoutSources(text)) == was.Text:
		x.toHere[n] = nil
	case takesPart:
		if last != nil && !was.Except {
			text, _, err = mergeCopy(n, was, text, last)
		}
		t := memory.ParseTopic(text)
		t.ClearPersons()
		if x.toHere[n] = t.Bytes(); err != nil {
			return err
		}
	}
	delete(x.next, n.String())
	return nil
}

// mergeCopy merges the copy text of a project with all, which is without sources. It returns the new copy, which keeps
// its sources, and what was merged.
func mergeCopy(n memory.Name, was state.Copy, text, all []byte) (here, merged []byte, err error) {
	mine := withoutSources(text)
	if merged, err = mergeOne(n, []byte(was.Text), mine, all); err != nil || string(merged) == string(mine) {
		return text, merged, err
	}
	here, err = mergeOne(n, mine, text, merged)
	return here, merged, err
}

// mergeOne merges one memory.
func mergeOne(n memory.Name, base, a, b []byte) ([]byte, error) {
	merged, _, err := merge.Files(Files{n: base}, Files{n: a}, Files{n: b})
	return merged[n], err
}

// land writes changes over was, the files of a memory; nil deletes one. A new memory gets the line that it has in
// index, and a deleted one loses its line.
func land(ctx context.Context, s *ops.Store, was, changes Files, index []byte, why string) error {
	after := maps.Clone(was)
	maps.Copy(after, changes)
	maps.DeleteFunc(after, func(_ memory.Name, data []byte) bool { return data == nil })
	if err := judge(s, was, after, "nothing is exchanged"); err != nil {
		return err
	}
	info := s.New(lock.KindPerson)
	info.Reason = why
	landed, err := s.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		f, err := t.Dir.ReadIfAny(memory.IndexName)
		if err != nil {
			return none, err
		}
		x := memory.ParseIndex(f.Data)
		for _, n := range changed(was, after) {
			data, base := after[n], ""
			if had, is := was[n]; is {
				base = string(memory.SumOf(had))
			}
			if _, err := t.Stage.Write(n, base, data, nil); err != nil {
				return none, err
			}
			switch _, linked := x.ByFile()[n.String()]; {
			case data == nil:
				x.Remove(n.String())
			case base == "" && !linked:
				e := cmp.Or(memory.ParseIndex(index).ByFile()[n.String()],
					memory.Entry{Title: memory.StemOf(n.String()), Hook: memory.OneLine(memory.ParseTopic(data).Description())})
				if x.HasRoom("- [](): " + e.Title + n.String() + e.Hook) { // else a dream makes room
					x.Upsert(n, e.Title, e.Hook, "")
				}
			}
		}
		if content := x.Bytes(); string(content) != string(f.Data) {
			return ops.NewIndex{Content: content, Base: f.Sum}, nil
		}
		return none, nil
	})
	if err == nil && len(landed.LeftAlone) > 0 {
		err = fmt.Errorf("%s was changed meanwhile; the next exchange merges it again", landed.LeftAlone[0].Name)
	}
	return err
}
