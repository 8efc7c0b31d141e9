package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// ErrUndone reports that nothing is left to undo.
var ErrUndone = errors.New("nothing is left to undo")

// UndoResult describes what an undo reverted and what it kept.
type UndoResult struct {
	ID        string         `json:"id,omitempty"` // of the undo, which can itself be undone; "" if nothing was left to undo
	Undone    string         `json:"undone"`
	Files     ops.Files      `json:"files"`
	Merged    []string       `json:"merged"` // those of Files in which later changes of others are kept
	Conflicts []ops.Conflict `json:"conflicts"`
	GivenBack string         `json:"given_back,omitempty"` // the effect of undoing a dream on the time gate, in words
	Redo      string         `json:"redo,omitempty"`       // without an ID: a later undo that was passed over; undoing it redoes what it undid
}

// Undo reverts the changes of operation id. If id is "", that is the newest operation of this machine that is not
// undone; what was pulled from other machines is undone only by its ID. Undo keeps and reports later changes of others.
func (h *History) Undo(ctx context.Context, id string) (UndoResult, error) {
	defer h.Store.Lock()()
	if err := h.recover(ctx); err != nil { // an interrupted commit may be the one to undo
		return UndoResult{}, err
	}
	id, redo, a, err := h.operationToUndo(id)
	if err != nil {
		return UndoResult{}, err
	}
	res := UndoResult{Undone: id, Redo: redo, Files: ops.FilesOf(nil, nil), Merged: []string{}, Conflicts: []ops.Conflict{}}
	info := h.Store.New(lock.KindUndo)
	info.Undoes = id
	info.Restamp = a.Undoing(a.Landed)
	landed, err := h.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		conflicts, err := t.Stage.Reverse(a)
		res.Conflicts = append(res.Conflicts, conflicts...)
		return none, err
	})
	if res.ID = landed.ID; err != nil || res.ID == "" {
		return res, err
	}
	res.Conflicts = append(res.Conflicts, landed.LeftAlone...)
	res.Files = ops.FilesOf(landed.Changes, nil)
	for _, n := range a.Merged(landed.Changes) {
		res.Merged = append(res.Merged, n.String())
	}
	if info.Restamp != nil && info.Restamp.Done {
		res.GivenBack = info.Restamp.String()
	}
	return res, nil
}

// recover recovers from a crash. It fails while this process has a dream open.
func (h *History) recover(ctx context.Context) error {
	if t := h.Store.Current(); t != nil {
		return t.Busy()
	}
	return h.Store.Recover(ctx)
}

// operationToUndo returns the operation that Undo of id would revert.
func (h *History) operationToUndo(id string) (whole, redo string, o ops.Op, err error) {
	if id == "" {
		id, redo, err = h.newestOurs()
	} else {
		id, err = h.Store.Records.Match(id)
	}
	if err == nil {
		o, err = h.Store.Records.Op(id)
	}
	if err == nil && o.Waits() {
		err = ops.Refuse(id+" waits for the person's answer: nothing has landed", "to discard it: dream-mcp review --reject "+id)
	} else if err == nil && o.State != state.Landed {
		err = fmt.Errorf("%s has not landed: there is nothing to undo", id)
	}
	return id, redo, o, err
}

// newestOurs returns the newest operation of this machine that is not undone, and the newest undo after it that was not
// itself undone.
func (h *History) newestOurs() (id, redo string, err error) {
	for e, err := range h.Store.Records.Newest(state.LogQuery{Changed: true}) {
		switch {
		case err != nil:
			return "", "", err
		case e.Outcome != ops.Committed || e.Undone || e.Kind.FromOthers() || e.Kind == lock.KindForget:
		case e.Undoes == "":
			return e.ID, redo, nil
		default:
			redo = cmp.Or(redo, e.ID)
		}
	}
	if redo != "" {
		return "", "", fmt.Errorf("%w; to redo what was undone last: dream-mcp undo %s", ErrUndone, redo)
	}
	return "", "", ErrUndone
}

// Undoable returns the ID of the operation that Undo of id would revert, and describes it: who did it, when, and to
// which files.
func (h *History) Undoable(ctx context.Context, id string) (whole, did string, err error) {
	defer h.Store.Lock()()
	if t := h.Store.Current(); t != nil {
		return "", "", t.Busy()
	}
	if err := h.Store.Complete(ctx); err != nil {
		return "", "", err
	}
	whole, redo, info, err := h.operationToUndo(id)
	if err != nil {
		return "", "", err
	}
	who := fmt.Sprintf("A %s of this machine", cmp.Or(info.Kind, "change"))
	if info.Kind == lock.KindSync {
		who = "A sync, " + info.Reason + "; the undo is sent to them too"
	}
	did = fmt.Sprintf("%s, %s. %s", who, info.Landed.UTC().Format("2006-01-02 15:04 UTC"), ops.Report(info.Changes, ops.Op{Dreaming: ops.Dreaming{Renamed: info.Renamed}}))
	if redo != "" {
		did += " What came later is undone already; to redo that, undo " + redo + "."
	}
	return whole, did, nil
}

// Diff returns the ID of an operation and its changes as a unified diff. If id is "", it is the newest that landed.
// For a dream that did not land, it is the diff of its stage.
func (h *History) Diff(ctx context.Context, id string) (string, []byte, error) {
	defer h.Store.Lock()()
	id, a, err := h.Named(ctx, id)
	if err != nil {
		return "", nil, err
	}
	diff, err := h.unified(ctx, a)
	return id, diff, err
}

// unified returns the changes of an operation as a unified diff.
func (h *History) unified(ctx context.Context, o ops.Op) (diff []byte, err error) {
	err = h.Store.View(ctx, func(dir *memory.Dir) error {
		diff, err = h.Store.Records.Diff(dir, o)
		return err
	})
	return diff, err
}

// LastReport returns the report and the diff of the newest operation that landed a change. It fails with
// ops.ErrNothing if there is none.
func (h *History) LastReport(ctx context.Context) (string, error) {
	defer h.Store.Lock()()
	id, a, err := h.Named(ctx, "")
	if err != nil {
		return "", err
	}
	undone, err := h.Store.Records.Undone(id)
	if err != nil {
		return "", err
	}
	undo := "To undo it: dream-mcp undo " + id
	if undone[id] {
		undo = "It was undone since."
	}
	diff, err := h.unified(ctx, a)
	return fmt.Sprintf("%s, landed %s\n%s\n%s\n\n%s",
		id, a.Landed.UTC().Format(time.RFC3339), ops.Report(a.Changes, a)+a.Decisions(), undo, diff), err
}

// Named returns operation id, or the newest that landed a change if id is "". The caller holds the mutex.
func (h *History) Named(ctx context.Context, id string) (_ string, o ops.Op, err error) {
	if err := h.Store.Complete(ctx); err != nil {
		return "", o, err
	}
	if id != "" {
		id, err = h.Store.Records.Match(id)
	} else {
		id, err = h.newest()
	}
	if err == nil {
		o, err = h.Store.Records.Op(id)
	}
	return id, o, err
}

// newest returns the newest operation that landed a change and is not an undo: after an undo it is what was undone.
func (h *History) newest() (string, error) {
	for e, err := range h.Store.Records.Newest(state.LogQuery{Changed: true}) {
		if err != nil {
			return "", err
		}
		if e.Outcome == ops.Committed && e.Kind != lock.KindForget && e.Kind != lock.KindUndo {
			return e.ID, nil
		}
	}
	return "", ops.ErrNothing
}
