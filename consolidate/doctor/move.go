package doctor

import (
	"context"
	"fmt"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
)

// MergeInto moves all memories into another directory, which a host has made for the same project, and merges them with
// what is there: of a memory that both have, every line is kept. It returns the number of memories that were moved.
//
// Nothing is deleted here before it has landed there, and both can be undone. The words that the memories cite go with
// them; the log of what was done before stays here. After a crash it can be called again.
func (d *Doctor) MergeInto(ctx context.Context, dir string) (moved int, err error) {
	defer d.Store.Lock()()
	if t := d.Store.Current(); t != nil {
		return 0, t.Busy()
	}
	from, err := d.Store.Dir(ctx)
	if err != nil || from == nil {
		return 0, err
	}
	defer from.Close()
	ours, err := filesOf(from)
	if err != nil {
		return 0, err
	}
	to := d.Store.Beside(dir)
	defer to.Records.Close()
	why := to.New(lock.KindWrite)
	why.Reason = "the person had the memories of " + from.Path() + " merged into it"
	landed, err := to.Change(ctx, why, func(t *ops.Tx) (none ops.NewIndex, err error) {
		if err := d.keepWordsIn(to, ours); err != nil {
			return none, err
		}
		return none, stageMerge(t, from, ours)
	})
	if err != nil {
		return 0, err
	}
	if len(landed.LeftAlone) > 0 {
		return 0, fmt.Errorf("%s was changed meanwhile; nothing was removed here", landed.LeftAlone[0].Name)
	}
	gone := d.Store.New(lock.KindWrite)
	gone.Reason = "the memories are in " + dir + " now"
	_, err = d.Store.Change(ctx, gone, func(t *ops.Tx) (none ops.NewIndex, err error) {
		for n, data := range ours {
			if n.IsIndex() {
				continue
			}
			if _, err := t.Stage.Write(n, string(memory.SumOf(data)), nil, nil); err != nil {
				return none, err
			}
			moved++
		}
		edit, err := indexing.Edit(t)
		return edit.Landing(t), err
	})
	return moved, err
}

// stageMerge stages what a memory becomes when files of another directory are merged into it.
func stageMerge(t *ops.Tx, from *memory.Dir, files map[memory.Name][]byte) error {
	theirs, err := filesOf(t.Dir)
	if err != nil {
		return err
	}
	base := make(map[memory.Name][]byte)
	if _, has := theirs[memory.IndexName]; has {
		base[memory.IndexName] = nil
	}
	all, _, err := merge.Files(base, theirs, files)
	if err != nil {
		return err
	}
	for n, data := range all {
		if string(theirs[n]) == string(data) {
			continue
		}
		found, err := from.ReadIfAny(n)
		if err != nil {
			return err
		}
		if err := t.Stage.Restore(n, data, found.ModTime); err != nil {
			return err
		}
	}
	return nil
}

// filesOf returns the memories of a directory and its index.
func filesOf(dir *memory.Dir) (map[memory.Name][]byte, error) {
	names, err := dir.Topics()
	if err != nil {
		return nil, err
	}
	files := make(map[memory.Name][]byte)
	for _, n := range append(names, memory.IndexName) {
		f, err := dir.ReadIfAny(n)
		if err != nil {
			return nil, err
		}
		if f.Sum != "" {
			files[n] = f.Data
		}
	}
	return files, nil
}

// keepWordsIn copies the kept words that files cite to the database of another memory.
func (d *Doctor) keepWordsIn(to *ops.Store, files map[memory.Name][]byte) error {
	theirs := provenance.Sources{Store: to}
	for _, data := range files {
		for _, source := range memory.ParseTopic(data).Sources() {
			if words, ok := d.Sources.Kept(source); ok {
				if err := theirs.Keep([]state.Words{words}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
