package consolidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
)

// Begin opens a dream, or returns the one that this process has open already. With force, a person
// asked for it: time and sessions are open, and after AskedFor what the person switched off. With resume, it takes up the newest
// stage that was left. Where a gate is closed it fails with a *ClosedError and has made nothing.
func (p *dreams) Begin(ctx context.Context, force, resume bool) error {
	p.Lock()
	defer p.Unlock()
	if p.dream != nil {
		err := p.renew("")
		if err == nil || p.dream != nil || errors.Is(err, ErrStopped) {
			return err // a person who stops a dream does not ask for the next one
		}
	} else if err := p.enter(""); errors.Is(err, ErrStopped) {
		return err
	}
	if force && p.Unattended {
		return store.Refuse("force is for a person who asks for a dream, and nobody watches this one", "without force: a gate that is closed stays so")
	}
	force, p.asked = force || p.o.Asked, p.asked || p.o.Asked
	p.reread()
	p.Share.Refresh(ctx)
	g, err := p.askUnlocked(ctx, force)
	if err != nil {
		return p.switchedOff(err, force)
	}
	if err := p.Share.TakeLease(ctx); err != nil {
		open := false
		return &ClosedError{Gate: Gate{Name: "lock", Open: &open, Why: err.Error()}}
	}
	t, err := p.Store.Begin(ctx, func(dir *memory.Dir) (store.Info, error) { return p.beginning(ctx, dir, g, force, resume) })
	if err != nil {
		p.Share.End(false)
	}
	var busy *lock.BusyError
	if errors.As(err, &busy) {
		return fmt.Errorf("the lock gate is closed: %w", err)
	}
	if err != nil {
		return err
	}
	p.setOpen(t)
	p.dream.leased = p.Now()
	p.History.Prune(p.Now()) // only now: a stage older than a week may be the one to resume
	if err := p.Proposals.Adopt(t.Dir); err == nil {
		p.Sources.Sweep(t.Dir)
	}
	p.logEvent(Event{Kind: EventBegun})
	if err := t.LogBegun(); err != nil {
		return errors.Join(err, p.end(store.Aborted, "its beginning could not be journaled"))
	}
	return nil
}

// askUnlocked checks all gates except the lock, for which Begin waits.
func (p *gates) askUnlocked(ctx context.Context, force bool) (gateAnswers, error) {
	dir, err := p.Disk()
	if err != nil {
		return gateAnswers{}, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.RecoverIn(ctx, dir); err != nil {
			return gateAnswers{}, err
		}
	}
	g := p.checkGates(ctx, dir, p.Now(), gateOptions{force: force})
	return g, g.refusal()
}

// beginning returns the record of the dream to begin: a new one or, with resume, the newest with a kept stage. It is called
// under the lock.
func (p *dreams) beginning(ctx context.Context, dir *memory.Dir, g gateAnswers, force, resume bool) (info store.Info, err error) {
	if since, err := p.Since(dir); err != nil {
		return info, err
	} else if !since.Same(g.since) {
		// Another dream landed during the wait for the lock.
		if g = p.checkGates(ctx, dir, p.Now(), gateOptions{force: force}); g.closed != nil {
			return info, g.refusal()
		}
	}
	if err := indexReadable(dir); err != nil {
		return info, err
	}
	info = p.New(lock.KindDream)
	if resume {
		entries, err := p.Journal()
		if err != nil {
			return info, err
		}
		left, err := p.Unfinished(entries, "")
		if err != nil {
			return info, err
		}
		if len(left) == 0 {
			return info, ErrNoStage
		}
		info = reopened(left[0], info)
	}
	info.Phase, info.ToolCalls = Orienting, info.ToolCalls+1
	info.Since, info.Sessions, info.Forced, info.Unattended = g.since, g.sessions, force, p.Unattended
	return info, nil
}

// reopened returns the record of an operation that ended, resumed as now.
func reopened(left, now store.Info) store.Info {
	left.Kind, left.Host, left.Session, left.LastCall = now.Kind, now.Host, now.Session, now.LastCall
	left.Resumed, left.Outcome, left.Reason, left.Ended = true, "", "", time.Time{}
	return left
}

// AskedFor reports that the person asked for a dream on this connection. From now on force also opens the gate "enabled",
// unless memory itself is switched off.
func (p *gates) AskedFor() {
	p.Lock()
	defer p.Unlock()
	p.asked = true
}

// PromptRead reports that the prompt dream was read on this connection, so its four phases need not be repeated.
func (p *dreams) PromptRead() {
	p.Lock()
	defer p.Unlock()
	p.prompted = true
}

// switchedOff returns err, or a *PersonError if the gate that the person closed refuses force.
func (p *gates) switchedOff(err error, force bool) error {
	var closed *ClosedError
	if !errors.As(err, &closed) || closed.Gate.Name != "enabled" {
		return err
	}
	if closed.MemoryOff = p.o.Enabled.MemoryOff; closed.MemoryOff || !force {
		return err
	}
	return &PersonError{Err: err, Question: "Dreams are switched off: " + closed.Gate.Why + ". Consolidate the memory anyway?", Terminal: "dream-mcp mode suggest"}
}
