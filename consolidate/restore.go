package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// RestoreResult says what a restore brought back.
type RestoreResult struct {
	ID     string  `json:"id,omitempty"` // of the restore, which can itself be undone; "" where it stands already
	From   Version `json:"from"`
	Action string  `json:"action"` // created, updated, unchanged
	Index  string  `json:"index_line,omitempty"`
	Undo   string  `json:"undo,omitempty"`
}

// Restore brings a memory back as it was before what id names landed, with its time and, where the
// index names it no more, its line. Without an id it is the newest content in the archive that is not
// the one that stands. It is a transaction of its own, archived, and no judgement: the rules are not
// asked about what stood before.
func (p *Project) Restore(ctx context.Context, file, id string) (RestoreResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		return RestoreResult{}, &lock.BusyError{Holder: p.dream.record.String()}
	}
	if err := p.recoverHere(ctx); err != nil { // what a crash cut off may be what is asked for
		return RestoreResult{}, err
	}
	n, err := archivedName(file)
	if err != nil {
		return RestoreResult{}, err
	}
	h, err := p.history()
	if err != nil {
		return RestoreResult{}, err
	}
	v, err := p.choose(h, n, id)
	if err != nil {
		return RestoreResult{}, err
	}
	data, err := p.content(v)
	if err != nil {
		return RestoreResult{}, err
	}
	line, err := p.entry(h, v, n)
	if err != nil {
		return RestoreResult{}, err
	}
	v.Bytes = int64(len(data))
	res := RestoreResult{From: v, Action: "unchanged"}
	var landed *landing.Archive
	res.ID, landed, err = p.transact(ctx, Info{Kind: lock.KindRestore, Reason: v.String()}, func(d *dream) (*indexEdit, error) {
		if err := d.stage.Restore(n, data, v.Time); err != nil || n.IsIndex() {
			return nil, err
		}
		edit, err := d.editIndex()
		if err != nil || edit.rests || edit.line(n) != "" {
			return nil, err
		}
		if err := edit.upsert(line, n, d.stage); err != nil {
			return nil, err
		}
		res.Index = edit.line(n)
		return edit, nil
	})
	if err != nil || res.ID == "" {
		return res, err
	}
	p.changed(landed.Changes)
	if err := leftOut(res.ID, landed); err != nil {
		return RestoreResult{}, err
	}
	for _, c := range landed.Changes {
		if c.Name == n {
			res.Action = c.Action()
		}
	}
	res.Undo = "dream-mcp undo " + res.ID
	return res, nil
}

// choose finds the version of n that is meant.
func (p *Project) choose(h history, n memory.Name, id string) (Version, error) {
	if id == "" {
		return p.newestOther(h, n)
	}
	id, err := p.match(id)
	if err != nil {
		return Version{}, err
	}
	at := slices.IndexFunc(h, func(l landedChanges) bool { return l.id == id })
	var v Version
	var ok bool
	if at >= 0 {
		v, ok = h.before(n, at, h[at].Landed)
	} else { // it has not landed: what was there when it began
		info, err := readInfo(p.state, id)
		if err != nil {
			return Version{}, err
		}
		at = slices.IndexFunc(h, func(l landedChanges) bool { return l.Landed.After(info.Started) })
		if at < 0 {
			at = len(h)
		}
		v, ok = h.before(n, at, info.Started)
	}
	switch {
	case !ok:
		return Version{}, unknownVersion(h, n)
	case v.sum == "":
		return Version{}, &RequestError{fmt.Sprintf("%s did not exist then (%s %s)", n, v.When, v.ID), "dream-mcp restore --list " + quoted(n.String()) + " shows when it did"}
	}
	return v, nil
}

// newestOther returns the newest version of n that is not what stands.
func (p *Project) newestOther(h history, n memory.Name) (Version, error) {
	dir, err := p.openDir()
	if err != nil {
		return Version{}, err
	}
	var have memory.File
	if dir != nil {
		defer dir.Close()
		if have, err = dir.Read(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Version{}, err
		}
	}
	for _, v := range h.of(n) {
		if v.sum != have.Sum {
			return v, nil
		}
	}
	if len(h.of(n)) > 0 {
		return Version{}, &RequestError{fmt.Sprintf("%s stands as it always did: the archive has no other version", n), "dream-mcp restore --list shows what it has"}
	}
	return Version{}, unknownVersion(h, n)
}

// archivedName reads the name of a memory as a person types it.
func archivedName(file string) (memory.Name, error) {
	if !strings.HasSuffix(file, ".md") {
		file += ".md"
	}
	n, err := memory.ParseName(file)
	if err != nil {
		return n, &RequestError{fmt.Sprintf("%q: %v", file, err), "name it as the memory directory does: name.md or folder/name.md"}
	}
	return n, nil
}

// unknownVersion says that the archive can't tell of n, and what is spelled like it.
func unknownVersion(h history, n memory.Name) error {
	others := slices.DeleteFunc(h.names(), func(known memory.Name) bool { return known == n })
	return &RequestError{
		fmt.Sprintf("the archive has no such version of %s", n),
		didYouMean(memory.Nearest(n.String(), others), "dream-mcp restore --list shows what it has"),
	}
}

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if strings.ContainsAny(name, " '") {
		return `"` + name + `"`
	}
	return name
}
