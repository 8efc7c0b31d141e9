package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// checkLock looks at our own lock: who holds it, and what a dead holder left.
func (p *Project) checkLock(ctx context.Context, dir *memory.Dir, accept bool) Check {
	c := Check{Name: "lock", State: Healthy, Message: "free"}
	if holder := lock.HostHolder(dir.Root(), p.o.Now()); holder != "" {
		c.State, c.Message, c.Hint = Note, "held by "+holder, "nothing of ours begins until it is free, at most for an hour"
	}
	if _, err := dir.Root().Lstat(lock.File); errors.Is(err, fs.ErrNotExist) {
		return c
	}
	l, err := lock.Take(ctx, dir, 0)
	r, readErr := lock.Read(dir.Root())
	switch {
	case errors.Is(err, lock.ErrHeld):
		c.State, c.Message = Note, "held by "+r.String()+"; "+r.Whereabouts()
		c.Hint = "dream-mcp stop ends it before its next step"
		return c
	case err != nil:
		c.State, c.Message, c.Hint = Wrong, err.Error(), lock.File+" in the memory directory must be a plain file of yours with one name: while nothing dreams, move it away"
		return c
	}
	defer l.Release()
	if readErr == nil && r.Dream == "" {
		return c
	}
	c.State, c.mend = Wrong, func(ctx context.Context) error { return p.recoverIfLeft(ctx, dir) }
	c.Message, c.Fix = "left by "+r.String()+", which ended without its end", "it is rolled back, its stage kept; a commit that had begun is carried to its end"
	if readErr != nil {
		c.Message = readErr.Error()
		return c
	}
	if err := p.lostPlan(r); err != nil {
		c.Message = (&BrokenError{Holder: r.String(), Why: err}).Error()
		c.Hint = fmt.Sprintf("bring the folder %q back, then any command carries the commit on; or take the memory as it stands: dream-mcp doctor --fix --accept", r.Stage)
		if c.Fix, c.mend = "", nil; accept {
			c.mend = func(ctx context.Context) error {
				return p.takeAsItStands(ctx, dir, "the memory was taken as it stands: the commit of "+r.Dream+" was cut off and its plan is lost")
			}
		}
	}
	return c
}

// lostPlan returns why a commit that has begun can't be carried on, nil where it can or none has.
func (p *Project) lostPlan(r lock.Record) error {
	if !r.Committing {
		return nil
	}
	folder, _, err := p.openLeft(r)
	if err != nil {
		return err
	}
	a, err := landing.OpenArchive(folder)
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	defer a.Close()
	if a.State != landing.Landing {
		return nil
	}
	for _, c := range a.Changes {
		if _, err := a.Content(c.After); err != nil {
			return err
		}
	}
	return nil
}

// takeAsItStands ends whatever the lock's record tells of without landing anything more. What lies
// beside the memories goes into the archive.
func (p *Project) takeAsItStands(ctx context.Context, dir *memory.Dir, why string) error {
	l, err := lock.Take(ctx, dir, momentWait)
	if err != nil {
		return err
	}
	r, err := l.Read()
	if err == nil && r.Dream != "" {
		p.step("give back")
		if err := p.giveBack(dir, r, r.Prior); err != nil {
			return errors.Join(err, l.Release())
		}
	}
	own, err := memory.Open(dir.Path()) // the operation closes its own
	if err != nil {
		return errors.Join(err, l.Release())
	}
	now := p.o.Now()
	d, err := p.begin(l, own, Info{ID: newID(now), Kind: lock.KindMend, Host: p.o.Host, Started: now, LastCall: now, Reason: why})
	if err != nil {
		return errors.Join(err, l.Release(), own.Close())
	}
	p.step("sweep")
	if err = d.stage.Sweep(); err == nil {
		p.step("journal")
		d.Outcome, d.Ended = Committed, now
		err = errors.Join(d.save(), p.log(d, Committed, now))
	}
	if err == nil {
		p.step("clear")
		err = d.lock.Clear()
	}
	err = errors.Join(err, d.close())
	if err == nil && len(d.stage.Displaced) == 0 {
		err = p.discard(d.ID)
	}
	return err
}

// checkNative looks at Claude Code's lock and the time in it.
func (p *Project) checkNative(dir *memory.Dir) Check {
	now := p.o.Now()
	c := Check{Name: "last dream", State: Healthy}
	n, err := lock.ReadHost(dir.Root())
	switch {
	case err != nil:
		c.State, c.Message, c.Hint = Wrong, err.Error(), lock.HostFile+" in the memory directory must be a plain file of yours"
	case n.Exists && n.Time.Sub(now) > clockSlack:
		c.State, c.Message = Wrong, fmt.Sprintf("%s is stamped %s, in the future: no dream is due before %gh after that", lock.HostFile, n.Stamp, p.o.MinHours)
		c.Fix = "it is stamped now, as if a dream had just ended"
		c.mend = func(ctx context.Context) error { return p.restamp(ctx, dir, now) }
	default:
		last, err := p.lastConsolidation(dir)
		if err != nil {
			c.State, c.Message = Wrong, err.Error()
			break
		}
		c.Message = last.String()
	}
	return c
}

// restamp sets the time of the last consolidation. The holder stays.
func (p *Project) restamp(ctx context.Context, dir *memory.Dir, now time.Time) error {
	l, err := p.lockWait(ctx, dir, momentWait)
	if err != nil {
		return err
	}
	if err = lock.HostFree(dir.Root(), now); err == nil {
		var n lock.Host
		if n, err = lock.ReadHost(dir.Root()); err == nil {
			err = n.Set(dir.Root(), n.PID, now)
		}
	}
	return errors.Join(err, l.Release())
}
