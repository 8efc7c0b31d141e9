// Package history reads the archive: the versions of each memory, and what each operation changed or would change.
//
// Whatever a dream, a write, an undo or a restore replaced or deleted can be restored as long as the archive keeps it
// (see retention.go). An undo keeps later changes of others, and can itself be undone.
package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// History is the archive of one memory.
type History struct {
	Store      *ops.Store
	MaxArchive int64 // bytes; see retention.go

	pruned bool  // by this process
	left   int64 // bytes that it left
}

// landings are archived operations that have landed, in that order.
type landings []state.Operation

// Landed returns the operations that have landed since a time and changed one of some files, or all, after it has
// completed an interrupted one. The caller holds the mutex.
func (h *History) Landed(ctx context.Context, since time.Time, files ...memory.Name) (landings, error) {
	db, err := h.database(ctx)
	if err != nil {
		return nil, err
	}
	return db.Operations().Landed(since, files...)
}

// database returns the database, after it has completed an interrupted landing.
func (h *History) database(ctx context.Context) (*state.DB, error) {
	if err := h.Store.Complete(ctx); err != nil {
		return nil, err
	}
	return h.Store.Records.Look(), nil
}

// Whether a version is the content before or after the operation that names it.
const (
	Before = "before"
	After  = "after"
)

// Version is a content that a memory had.
type Version struct {
	File  string    `json:"file"`
	When  string    `json:"when"` // Before or After
	ID    string    `json:"id"`   // the operation that replaced or wrote it
	Time  time.Time `json:"time"` // modification time of the file
	Sum   string    `json:"sum"`
	Bytes int64     `json:"bytes"`  // -1 if the archive has lost it
	Held  bool      `json:"stands"` // it is the present content

	sum memory.Sum
	at  int // index of ID in the history
}

func (v Version) String() string {
	return fmt.Sprintf("%s as it was %s %s", v.File, v.When, v.ID)
}

// of returns the versions of n, the newest first. A version that two successive operations recorded is returned once,
// as the content before the later.
func (all landings) of(n memory.Name) (versions []Version) {
	add := func(i int, when string, sum memory.Sum, mtime time.Time) {
		if last := len(versions) - 1; sum != "" && (last < 0 || versions[last].sum != sum) {
			versions = append(versions, Version{File: n.String(), When: when, ID: all[i].ID, Time: mtime.UTC(), Sum: sum.Short(), sum: sum, at: i})
		}
	}
	for i, l := range slices.Backward(all) {
		if c, ok := l.Change(n); ok {
			add(i, After, c.After, c.AfterTime)
			add(i, Before, c.Before, c.BeforeTime)
		}
	}
	return versions
}

// before returns the content of n when o landed ("" for no file), as the next operation that changed n recorded it. It
// reports false if none did, or if somebody else wrote n in between.
func (all landings) before(n memory.Name, o state.Operation) (Version, bool) {
	for at, l := range all {
		earlier := l.Landed.Before(o.Landed) || l.Landed.Equal(o.Landed) && l.ID < o.ID
		if c, ok := l.Change(n); ok && !earlier {
			foreign := l.ID != o.ID && c.Before != "" && c.BeforeTime.After(o.Landed)
			return Version{File: n.String(), When: Before, ID: l.ID, Time: c.BeforeTime.UTC(), Sum: c.Before.Short(), sum: c.Before, at: at}, !foreign
		}
	}
	return Version{}, false
}

// entry returns the index line of n from the time when v was its content.
func (h *History) entry(all landings, v Version, n memory.Name) (ops.IndexLine, error) {
	line := ops.IndexLine{File: n.String()}
	index, ok := all.before(memory.IndexName, all[v.at])
	if _, changed := all[v.at].Change(memory.IndexName); v.When == After && changed {
		ok = false
	}
	for i := v.at; !ok && i >= 0; i-- { // it is as the last change up to v left it
		if c, changed := all[i].Change(memory.IndexName); changed {
			index, ok = Version{ID: all[i].ID, sum: c.After}, true
		}
	}
	if !ok || index.sum == "" {
		return line, nil
	}
	data, err := h.content(index)
	was := memory.ParseIndex(data).ByFile()[line.File]
	line.Title, line.Hook, line.Section = was.Title, was.Hook, was.Section
	return line, err
}

// content reads a version from the archive.
func (h *History) content(v Version) ([]byte, error) {
	data, err := h.Store.Records.Content(v.sum)
	if err != nil {
		return nil, fmt.Errorf("%s is not available: %w", v, err)
	}
	return data, nil
}

// Versions returns the archived versions of a memory, the newest first. For "" it returns the newest version of each
// memory, sorted by name.
func (h *History) Versions(ctx context.Context, file string) ([]Version, error) {
	defer h.Store.Lock()()
	var versions []Version
	if file == "" {
		all, err := h.last(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range all.names() {
			versions = append(versions, all.of(n)[:1]...)
		}
		return versions, h.measure(ctx, versions)
	}
	n, err := archivedName(file)
	if err != nil {
		return nil, err
	}
	all, err := h.Landed(ctx, time.Time{}, n)
	if versions = all.of(n); err == nil && len(versions) == 0 {
		err = h.unknownVersion(ctx, n)
	}
	if err != nil {
		return nil, err
	}
	return versions, h.measure(ctx, versions)
}

// measure sets Bytes and Held of versions.
func (h *History) measure(ctx context.Context, versions []Version) error {
	dir, err := h.Store.Dir(ctx)
	if err != nil {
		return err
	}
	defer dir.Close()
	db := h.Store.Records.Look()
	for i := range versions {
		v := &versions[i]
		if v.Bytes, err = db.TextSize(v.sum); err != nil {
			v.Bytes = -1
		}
		if n, err := memory.ParseName(v.File); err == nil && dir != nil {
			f, _ := dir.Read(n) // what cannot be read matches no version
			v.Held = f.Sum == v.sum
		}
	}
	return nil
}

// last returns the last operation that changed each memory, with that change alone.
func (h *History) last(ctx context.Context) (landings, error) {
	db, err := h.database(ctx)
	if err != nil {
		return nil, err
	}
	return db.Operations().LastLanded()
}

// names returns the names of all archived memories.
func (all landings) names() []memory.Name {
	names := make(map[memory.Name]bool)
	for _, l := range all {
		for _, c := range l.Changes {
			if c.Before+c.After != "" {
				names[c.Name] = true
			}
		}
	}
	return memory.SortedNames(names)
}
