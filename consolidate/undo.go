package consolidate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// UndoResult says what an undo took back and what it left.
type UndoResult struct {
	ID        string             `json:"id,omitempty"` // of the undo, which can itself be undone; "" where nothing was left to undo
	Undone    string             `json:"undone"`
	Files     Files              `json:"files"`
	Merged    []string           `json:"merged"` // of Files: what others changed in them since is kept
	Conflicts []landing.Conflict `json:"conflicts"`
	GivenBack string             `json:"given_back,omitempty"` // what the undoing of a dream did to the time gate, in words
}

// Undo takes back what the dream or write id changed ("": the newest that has not been undone). What
// somebody else changed since is kept and reported.
func (p *Project) Undo(ctx context.Context, id string) (UndoResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		return UndoResult{}, &lock.BusyError{Holder: p.dream.record.String()}
	}
	if err := p.recoverHere(ctx); err != nil { // what a crash cut off may be what is to be undone
		return UndoResult{}, err
	}
	id, err := p.resolve(id)
	if err != nil {
		return UndoResult{}, err
	}
	state, err := p.openState()
	if err != nil {
		return UndoResult{}, err
	}
	a, err := openArchive(state, id)
	if err != nil {
		return UndoResult{}, err
	}
	defer a.Close()
	if a.State != landing.Landed {
		return UndoResult{}, fmt.Errorf("%s has not landed: there is nothing to undo", id)
	}
	res := UndoResult{Undone: id, Merged: []string{}}
	var restamped *restamp
	newID, undone, err := p.transact(ctx, Info{Kind: lock.KindUndo, Undoes: id}, func(d *dream) (*indexEdit, error) {
		info, err := readInfo(p.state, id)
		if err == nil {
			d.Restamp = restampOf(info, a.Landed)
			restamped = d.Restamp
		}
		res.Conflicts, err = d.stage.Reverse(a)
		return nil, err
	})
	if err != nil {
		return UndoResult{}, err
	}
	res.ID, res.Files = newID, filesOf(nil)
	if undone != nil {
		res.Conflicts = append(res.Conflicts, undone.LeftAlone...)
		res.Files = filesOf(undone.Changes)
		for _, n := range a.Merged(undone.Changes) {
			res.Merged = append(res.Merged, n.String())
		}
		p.changed(undone.Changes)
	}
	if newID != "" && restamped != nil {
		if now, err := p.consolidated(); err == nil && now.Near(restamped.To) {
			res.GivenBack = restamped.String()
		}
	}
	if res.Conflicts == nil {
		res.Conflicts = []landing.Conflict{}
	}
	return res, nil
}

// Undoable returns the ID that Undo of id would take back, and what that did.
func (p *Project) Undoable(id string) (whole, did string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		return "", "", &lock.BusyError{Holder: p.dream.record.String()}
	}
	if whole, err = p.resolve(id); err != nil {
		return "", "", err
	}
	a, err := p.archive(whole)
	if err != nil {
		return "", "", err
	}
	defer a.Close()
	if a.State != landing.Landed {
		return "", "", fmt.Errorf("%s has not landed: there is nothing to undo", whole)
	}
	return whole, report(a.Changes, Info{}), nil
}

// indexLines returns the entries of an index by file.
func indexLines(data []byte) map[string]IndexLine {
	lines := make(map[string]IndexLine)
	for _, e := range memory.ParseIndex(data).Entries() {
		if _, known := lines[e.File]; !known && !e.Outside {
			lines[e.File] = IndexLine{File: e.File, Title: e.Title, Hook: e.Hook, Section: e.Section}
		}
	}
	return lines
}

// Diff returns what a dream, a write or an undo changed, as a unified diff ("": the newest that
// landed), and its ID. Of a dream that did not land it is what its stage holds.
func (p *Project) Diff(id string) (string, []byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.diff(id)
}

func (p *Project) diff(id string) (string, []byte, error) {
	var err error
	if id == "" {
		id, err = p.newest()
	} else {
		id, err = p.match(id)
	}
	if err != nil {
		return "", nil, err
	}
	a, err := p.archive(id)
	if err != nil {
		return "", nil, err
	}
	defer a.Close()
	diff, err := a.Diff(p.o.AllowSecrets)
	return id, diff, err
}

// resolve finds what to undo: id, or a beginning of it that only one has.
func (p *Project) resolve(id string) (string, error) {
	if id != "" {
		return p.match(id)
	}
	entries, err := p.landed()
	if err != nil {
		return "", err
	}
	undone := undoneBy(entries)
	for _, e := range slices.Backward(entries) {
		if e.Outcome == Committed && e.Undoes == "" && !undone[e.ID] && len(e.Files) > 0 {
			return e.ID, nil
		}
	}
	return "", ErrUndone
}

// undoneBy returns what was taken back and stayed so: an undo that was itself undone does not count.
func undoneBy(entries []LogEntry) map[string]bool {
	undone := make(map[string]bool)
	for _, e := range slices.Backward(entries) {
		if e.Outcome == Committed && e.Undoes != "" && !undone[e.ID] {
			undone[e.Undoes] = true
		}
	}
	return undone
}

func (p *Project) match(id string) (string, error) {
	state, err := p.openState()
	if err != nil {
		return "", err
	}
	ids, err := dreamIDs(state)
	if err != nil {
		return "", err
	}
	var found []string
	for _, known := range ids {
		if known == id {
			return id, nil
		}
		if strings.HasPrefix(known, id) {
			found = append(found, known)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: %q", ErrUnknown, id)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%q is the beginning of %d IDs: %s", id, len(found), strings.Join(found, ", "))
}

// newest returns the newest that landed and changed something.
func (p *Project) newest() (string, error) {
	entries, err := p.landed()
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(entries) {
		if e.Outcome == Committed && len(e.Files) > 0 {
			return e.ID, nil
		}
	}
	return "", fmt.Errorf("%w: nothing has landed yet", ErrUnknown)
}

// LastReport returns the report and the diff of the newest that landed and changed something. It
// fails with ErrUnknown where nothing has.
func (p *Project) LastReport() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, err := p.newest()
	if err != nil {
		return "", err
	}
	a, err := p.archive(id)
	if err != nil {
		return "", err
	}
	defer a.Close()
	diff, err := a.Diff(p.o.AllowSecrets)
	info, _ := readInfo(p.state, id) // what it tells beside is no reason to tell nothing
	return fmt.Sprintf("%s, landed %s\n%s\nTake it back: dream-mcp undo %s\n\n%s",
		id, a.Landed.UTC().Format(time.RFC3339), report(a.Changes, info)+info.decisions(), id, diff), err
}
