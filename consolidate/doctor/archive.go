package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory/phrase"
)

// database checks the database. Its state is Healthy if it can be used.
func (e *examination) database() Check {
	path := e.Store.Records.Path()
	db := e.Store.Records.Look()
	err := db.Err()
	if db == nil && err == nil && e.Store.Records.Begun() {
		err = fmt.Errorf("%s is gone or empty", path)
	}
	if err != nil {
		c := Check{Name: "archive", State: Wrong, Message: err.Error(), Hint: "copy what is in its folder, then put a backup in its place, if there is one"}
		pending := false // what is pending is said of the lock
		if e.dir != nil {
			r, err := lock.Read(e.dir.Root())
			pending = err != nil || r.ID != ""
		}
		switch {
		case errors.Is(err, state.ErrNewer):
			c.Hint = "use the newest version of dream-mcp on this machine"
		case !pending:
			c.Fix = "it is set aside, and a new one begun: memories stay as they are, but what came before cannot be undone"
			c.repair = func(context.Context) error { return e.Store.Records.Renew() }
		}
		return c
	}
	if problems := db.Check(); problems != nil {
		return Check{Name: "archive", State: Wrong, Message: path + " is damaged: " + phrase.Few(problems, maxNamedFiles),
			Hint:   "put a backup in its place, if there is one: what it has lost cannot be undone",
			Fix:    "what can be read is copied into a new one, and it is set aside: memories stay as they are, but what it has lost cannot be undone",
			repair: func(ctx context.Context) error { return e.alone(ctx, e.Store.Records.Salvage) }}
	}
	if at, err := state.Gone.Get(db); err == nil && !at.IsZero() {
		return Check{Name: "archive", State: Wrong, Message: path + " was gone or empty and was created again on " + at.UTC().Format(time.DateOnly) +
			": what was done before cannot be undone",
			Hint: "put a backup in its place, if there is one", Fix: "nothing changes, and this is not said again", repair: func(context.Context) error { return state.Gone.Set(db, time.Time{}) }}
	}
	return Check{Name: "archive", State: Healthy}
}

// alone calls do while no operation of another process is open.
func (e *examination) alone(ctx context.Context, do func() error) error {
	if e.dir == nil {
		return do()
	}
	l, err := lock.Take(ctx, e.dir, ops.Wait)
	if err != nil {
		return err
	}
	return errors.Join(do(), l.Release())
}

// notes checks the notes of the database. One that cannot be decoded counts as missing.
func (e *examination) notes() error {
	db := e.Store.Records.Look()
	names, err := db.DamagedNotes()
	if len(names) == 0 {
		return err
	}
	c := Check{Name: "archive", State: Wrong, Message: DamagedNotes(names), Fix: "they are removed",
		repair: func(context.Context) error { return e.Store.Records.DB().RemoveDamagedNotes() }}
	if slices.Contains(names, "share") {
		c.Hint = "this memory was shared: dream-mcp share REMOTE begins again"
	}
	e.add(c)
	return err
}

// DamagedNotes says which notes of the database cannot be decoded.
func DamagedNotes(names []string) string {
	return state.File + " has notes that cannot be read, and count as missing: " + strings.Join(names, ", ")
}

// archive checks the archive and the stages of earlier operations.
func (e *examination) archive() error {
	db := e.Store.Records.Look()
	ids, err := db.Operations().IDs()
	if err != nil {
		return err
	}
	var damaged, displaced []string
	for _, id := range ids {
		a, err := e.Store.Records.Op(id)
		if err != nil {
			damaged = append(damaged, id)
			continue
		}
		for _, c := range a.Changes {
			if c.Before == "" || a.State != state.Landed {
				continue
			}
			if _, err := db.TextSize(c.Before); err != nil && !slices.Contains(damaged, id) {
				damaged = append(damaged, id)
			}
		}
		for _, sum := range a.Displaced {
			displaced = append(displaced, sum.Short()+" of "+id)
		}
	}
	use, err := e.History.Use()
	if err != nil {
		return err
	}
	c := Check{Name: "archive", State: Healthy, Message: fmt.Sprintf("%s, %.1f of %d MiB",
		phrase.Plural(use.Dreams+use.Others, "operation"), float64(use.Bytes)/(1<<20), e.History.MaxArchive>>20)}
	if use.Bytes > e.History.MaxArchive {
		c.State, c.Hint = Notable, "the next dream or write removes the oldest, but nothing that was deleted within 30 days"
	}
	e.add(c)
	if len(damaged) > 0 {
		e.add(Check{Name: "archive", State: Wrong, Message: "damaged, and cannot be undone: " + phrase.Few(damaged, maxNamedFiles),
			Hint: "put a backup in the place of " + e.Store.Records.Path() + ", if there is one"})
	}
	if len(displaced) > 0 {
		e.add(Check{Name: "archive", State: Notable, Message: "files that somebody else wrote during a commit are kept: " + phrase.Few(displaced, maxNamedFiles)})
	}
	left, err := e.Store.Unfinished("")
	for _, info := range left {
		e.add(Check{Name: "stage", State: Notable, Message: fmt.Sprintf("dream %s was %s; its stage is kept until %s", info.ID,
			info.Outcome, info.LastCall.Add(history.StageKept).UTC().Format(time.DateOnly)),
			Hint: `dream_orient {"resume": true} resumes the newest`})
	}
	return err
}
