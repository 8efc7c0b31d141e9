package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/landing"
)

// ErrUndone says that nothing is left to undo.
var ErrUndone = errors.New("nothing is left to undo")

// UndoResult says what an undo took back and what it left.
type UndoResult struct {
	ID        string             `json:"id,omitempty"` // of the undo, which can itself be undone; "" where nothing was left to undo
	Undone    string             `json:"undone"`
	Files     store.Files        `json:"files"`
	Merged    []string           `json:"merged"` // of Files: what others changed in them since is kept
	Conflicts []landing.Conflict `json:"conflicts"`
	GivenBack string             `json:"given_back,omitempty"` // what the undoing of a dream did to the time gate, in words
}

// Undo takes back what the dream or write id changed ("": the newest that has not been undone). What
// somebody else changed since is kept and reported.
func (h *History) Undo(ctx context.Context, id string) (UndoResult, error) {
	h.Lock()
	defer h.Unlock()
	if err := h.recover(ctx); err != nil { // what a crash cut off may be what is to be undone
		return UndoResult{}, err
	}
	id, a, err := h.undoable(id)
	if err != nil {
		return UndoResult{}, err
	}
	defer a.Close()
	res := UndoResult{Undone: id, Files: store.FilesOf(nil), Merged: []string{}, Conflicts: []landing.Conflict{}}
	info := h.New(lock.KindUndo)
	info.Undoes = id
	if undone, err := h.Info(id); err == nil {
		info.Restamp = undone.Undoing(a.Landed)
	}
	var landed *landing.Archive
	res.ID, landed, err = h.Change(ctx, info, func(t *store.Tx) (*store.Index, error) {
		conflicts, err := t.Stage.Reverse(a)
		res.Conflicts = append(res.Conflicts, conflicts...)
		return nil, err
	})
	if err != nil || res.ID == "" {
		return res, err
	}
	res.Conflicts = append(res.Conflicts, landed.LeftAlone...)
	res.Files = store.FilesOf(landed.Changes)
	for _, n := range a.Merged(landed.Changes) {
		res.Merged = append(res.Merged, n.String())
	}
	if info.Restamp != nil && info.Restamp.Done {
		res.GivenBack = info.Restamp.String()
	}
	return res, nil
}

// recover ends what a crash left. It fails while this process has a dream open.
func (h *History) recover(ctx context.Context) error {
	if t := h.Current(); t != nil {
		return t.Busy()
	}
	return h.Recover(ctx)
}

// undoable opens the archive of what Undo of id would take back. The caller closes it.
func (h *History) undoable(id string) (string, *landing.Archive, error) {
	id, err := h.resolve(id)
	if err != nil {
		return "", nil, err
	}
	a, err := h.Archive(id)
	if err == nil && a.State != landing.Landed {
		err = errors.Join(fmt.Errorf("%s has not landed: there is nothing to undo", id), a.Close())
	}
	return id, a, err
}

// Undoable returns the ID that Undo of id would take back, and what that did.
func (h *History) Undoable(id string) (whole, did string, err error) {
	h.Lock()
	defer h.Unlock()
	if t := h.Current(); t != nil {
		return "", "", t.Busy()
	}
	whole, a, err := h.undoable(id)
	if err != nil {
		return "", "", err
	}
	defer a.Close()
	return whole, store.Report(a.Changes, store.Info{}), nil
}

// Diff returns what a dream, a write or an undo changed, as a unified diff ("": the newest that
// landed), and its ID. Of a dream that did not land it is what its stage holds.
func (h *History) Diff(id string) (string, []byte, error) {
	h.Lock()
	defer h.Unlock()
	id, a, err := h.Named(id)
	if err != nil {
		return "", nil, err
	}
	defer a.Close()
	diff, err := a.Diff(h.AllowSecrets)
	return id, diff, err
}

// LastReport returns the report and the diff of the newest that landed and changed something. It
// fails with store.ErrUnknown where nothing has.
func (h *History) LastReport() (string, error) {
	h.Lock()
	defer h.Unlock()
	id, a, err := h.Named("")
	if err != nil {
		return "", err
	}
	defer a.Close()
	diff, err := a.Diff(h.AllowSecrets)
	info, _ := h.Info(id) // without it there is less to say
	return fmt.Sprintf("%s, landed %s\n%s\nTake it back: dream-mcp undo %s\n\n%s",
		id, a.Landed.UTC().Format(time.RFC3339), store.Report(a.Changes, info)+info.Decisions(), id, diff), err
}

// Named opens the archive of the operation id ("": the newest that landed and changed something). The caller closes it.
func (h *History) Named(id string) (string, *landing.Archive, error) {
	var err error
	if id != "" {
		id, err = h.Match(id)
	} else {
		id, err = h.newest(func(store.LogEntry) bool { return true }, fmt.Errorf("%w: nothing has landed yet", store.ErrUnknown))
	}
	if err != nil {
		return "", nil, err
	}
	a, err := h.Archive(id)
	return id, a, err
}

// resolve finds what to undo: id, or a beginning of it that only one has.
func (h *History) resolve(id string) (string, error) {
	if id != "" {
		return h.Match(id)
	}
	undone, err := h.Undone()
	if err != nil {
		return "", err
	}
	return h.newest(func(e store.LogEntry) bool { return e.Undoes == "" && !undone[e.ID] }, ErrUndone)
}

// newest returns the newest that landed, changed something and is meant.
func (h *History) newest(meant func(store.LogEntry) bool, none error) (string, error) {
	entries, err := h.Entries()
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(entries) {
		if e.Outcome == store.Committed && len(e.Files) > 0 && meant(e) {
			return e.ID, nil
		}
	}
	return "", none
}
