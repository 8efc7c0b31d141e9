package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// RestoreResult describes what a restore did.
type RestoreResult struct {
	ID     string  `json:"id,omitempty"` // of the restore, which can itself be undone; "" if nothing had to change
	From   Version `json:"from"`
	Action string  `json:"action"` // created, updated, unchanged
	Index  string  `json:"index_line,omitempty"`
	Note   string  `json:"note,omitempty"` // what the line says that the restored text does not
	Undo   string  `json:"undo,omitempty"`
}

// Restore restores a memory as it was before operation id landed, with its modification time and, if the index does
// not name it, its line. If id is "", it restores the newest archived content that differs from the present one. It
// is a transaction of its own, and can be undone. The rules are not checked.
func (h *History) Restore(ctx context.Context, file, id string) (RestoreResult, error) {
	defer h.Store.Lock()()
	if err := h.recover(ctx); err != nil { // an interrupted commit may have the version
		return RestoreResult{}, err
	}
	n, err := archivedName(file)
	if err != nil {
		return RestoreResult{}, err
	}
	v, data, line, err := h.find(ctx, n, id)
	if err != nil {
		return RestoreResult{}, err
	}
	res := RestoreResult{From: v, Action: "unchanged"}
	info := h.Store.New(lock.KindRestore)
	info.Reason = v.String()
	landed, err := h.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		if err := t.Stage.Restore(n, data, v.Time); err != nil || n.IsIndex() {
			return none, err
		}
		edit, err := indexing.Edit(t)
		if err != nil || edit.None {
			return none, err
		}
		if edit.Line(n) == "" {
			err = edit.Name(line, n, t)
		}
		for _, f := range edit.Wrote {
			res.Note = f.Message
		}
		res.Index = edit.Line(n)
		return edit.Landing(t), err
	})
	if res.ID = landed.ID; err != nil || res.ID == "" {
		return res, err
	}
	if err := ops.LeftOut(landed); err != nil {
		return RestoreResult{}, err
	}
	if c, ok := landed.Change(n); ok {
		res.Action = c.Action()
	}
	res.Undo = "dream-mcp undo " + res.ID
	return res, nil
}

// find returns the version of n to restore, its content, and its index line.
func (h *History) find(ctx context.Context, n memory.Name, id string) (v Version, data []byte, line ops.IndexLine, err error) {
	all, err := h.Landed(ctx, time.Time{}, n, memory.IndexName)
	if err == nil {
		v, err = h.choose(ctx, all, n, id)
	}
	if err == nil {
		data, err = h.content(v)
	}
	if err == nil {
		line, err = h.entry(all, v, n)
	}
	v.Bytes = int64(len(data))
	return v, data, line, err
}

// choose returns the version of n to restore.
func (h *History) choose(ctx context.Context, all landings, n memory.Name, id string) (Version, error) {
	if id == "" {
		return h.newestOther(ctx, all, n)
	}
	id, err := h.Store.Records.Match(id)
	if err != nil {
		return Version{}, err
	}
	o, err := h.Store.Records.Op(id)
	if err != nil {
		return Version{}, err
	}
	if o.State != state.Landed {
		return Version{}, ops.Refuse(fmt.Sprintf("%s has not landed", id), "dream-mcp undo --list "+ops.Quoted(n.String())+" shows the versions")
	}
	switch v, ok := all.before(n, state.Operation{ID: id, Landed: o.Landed}); {
	case !ok:
		return Version{}, h.unknownVersion(ctx, n)
	case v.sum == "":
		return Version{}, ops.Refuse(fmt.Sprintf("%s did not exist then (%s %s)", n, v.When, v.ID),
			"dream-mcp undo --list "+ops.Quoted(n.String())+" shows when it did")
	default:
		return v, nil
	}
}

// newestOther returns the newest version of n that differs from the present content.
func (h *History) newestOther(ctx context.Context, all landings, n memory.Name) (Version, error) {
	dir, err := h.Store.Dir(ctx)
	if err != nil {
		return Version{}, err
	}
	var have memory.File
	if dir != nil {
		defer dir.Close()
		if have, err = dir.ReadIfAny(n); err != nil {
			return Version{}, err
		}
	}
	for _, v := range all.of(n) {
		if v.sum != have.Sum {
			return v, nil
		}
	}
	if len(all.of(n)) > 0 {
		return Version{}, ops.Refuse(fmt.Sprintf("the archive has no other version of %s", n), "dream-mcp undo --list shows the versions")
	}
	return Version{}, h.unknownVersion(ctx, n)
}

// archivedName parses the name of a memory as a person types it.
func archivedName(file string) (memory.Name, error) {
	if !strings.HasSuffix(file, ".md") {
		file += ".md"
	}
	n, err := memory.ParseName(file)
	if err != nil {
		return n, ops.Refuse(fmt.Sprintf("%q: %v", file, err), "name it as the memory directory does: name.md or folder/name.md")
	}
	return n, nil
}

// unknownVersion returns an error for a memory that the archive does not have, with the nearest name.
func (h *History) unknownVersion(ctx context.Context, n memory.Name) error {
	all, err := h.last(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(all.names(), func(known memory.Name) bool { return known == n })
	return ops.Refuse(
		fmt.Sprintf("the archive has no such version of %s", n),
		ops.DidYouMean(memory.Nearest(n.String(), others), "dream-mcp undo --list shows the versions"),
	)
}
