package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

// lock checks our lock: who holds it, and what a dead holder left.
func (e *examination) lock(ctx context.Context, accept bool) Check {
	store, dir := e.Store, e.dir
	c := Check{Name: "lock", State: Healthy, Message: "free"}
	if holder := lock.HostHolder(dir.Root(), store.Now()); holder != "" {
		c.State, c.Message, c.Hint = Notable, "held by "+holder, "no other dream begins until it is free, in at most an hour"
	}
	if _, err := dir.Root().Lstat(lock.File); errors.Is(err, fs.ErrNotExist) {
		return c
	}
	l, err := lock.Take(ctx, dir, 0)
	switch {
	case errors.Is(err, lock.ErrHeld):
		r, _ := lock.Read(dir.Root())
		c.State, c.Message = Notable, "held by "+r.String()+"; "+r.Whereabouts()
		c.Hint = "dream-mcp dream --stop ends it before its next step"
		return c
	case err != nil:
		c.State, c.Message, c.Hint = Wrong, err.Error(), lock.File+" in the memory directory must be a regular file of yours "+
			"without other links: while no dream is open, move it away"
		return c
	}
	if err := l.Release(); err != nil {
		return c
	}
	r, readErr := store.Remains(dir)
	if readErr == nil && r.ID == "" {
		return c
	}
	c.State, c.repair = Wrong, func(ctx context.Context) error { return store.RecoverIn(ctx, dir) }
	if readErr != nil {
		c.Message, c.Fix = readErr.Error(), "the record is removed"
		return c
	}
	c.Message, c.Fix = "left by "+r.String()+", which has exited", "it is rolled back"
	switch lost := store.Records.LostPlan(r); {
	case lost != nil:
		c.Message = (&ops.BrokenError{Holder: r.String(), Why: lost}).Error()
		c.Hint = fmt.Sprintf("restore the database %q, then any command completes the commit; or take the memory as it is: dream-mcp doctor --fix --accept", r.Database)
		if c.Fix, c.repair = "", nil; accept {
			c.repair = func(ctx context.Context) error {
				if err := store.Records.Renew(); err != nil {
					return err
				}
				return store.TakeAsIs(ctx, dir, "the memory was taken as it is: the commit of "+r.ID+" was interrupted and its plan is lost")
			}
		}
	case r.Committing || r.Dead(): // as whoever reads the memory does
		now := ": it is rolled back now"
		if r.Committing {
			now = ": its commit is completed now"
		}
		c.State, c.Message, c.Fix, c.repair = Repaired, c.Message+now, "", nil
		if err := store.RecoverIn(ctx, dir); err != nil {
			c.State, c.Message = Wrong, err.Error()
		}
	}
	return c
}

// host checks Claude Code's lock and the time of the last consolidation.
func (e *examination) host() {
	c := Check{Name: "last dream", State: Healthy}
	last, err := e.Store.Since(e.dir)
	c.Message = last.String()
	n, hostErr := lock.ReadHost(e.dir.Root())
	switch {
	case hostErr != nil:
		c.State, c.Message, c.Hint = Wrong, hostErr.Error(), lock.HostFile+" in the memory directory must be a regular file of yours"
	case n.Future(e.Store.Now()):
		c.State, c.Message = Wrong, fmt.Sprintf("the time of %s is %s, in the future: no dream is due until %gh after that",
			lock.HostFile, n.Stamp, e.Background.MinHours)
		c.Fix, c.repair = "the time is set to now, as if a dream had just ended", e.Store.SetTime
	case err != nil:
		c.State, c.Message = Wrong, err.Error()
	}
	e.add(c)
}
