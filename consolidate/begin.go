package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Begin opens a dream, unless this process has one open already. With force, a person asked for it: the gates time and
// sessions are open, and after AskedFor what the person switched off. With resume, it resumes the newest interrupted
// dream. If a gate is closed, it fails with a *ClosedError, or with a *PersonError if the person can open it, and
// changes nothing.
func (p *Project) Begin(ctx context.Context, force, resume bool) error {
	gates, open, err := p.mayBegin(ctx, force)
	if open || err != nil {
		return err
	}
	err = p.Share.Prepare(ctx) // only now: the remote may not answer
	if held, is := errors.AsType[*share.HeldError](err); is {
		open := false
		return &ClosedError{Gate: Gate{Name: "lock", Open: &open, Why: held.Error()}}
	}
	if err != nil {
		return err
	}
	err = p.beginLocal(ctx, gates, resume)
	if err != nil {
		p.Share.Release()
	}
	return err
}

// mayBegin checks the gates. It returns the options of the check, or that a dream is open already.
func (p *Project) mayBegin(ctx context.Context, force bool) (gates gateOptions, open bool, err error) {
	defer p.Store.Lock()()
	if p.dream != nil {
		err := p.dream.renew("")
		if err == nil || p.dream != nil || errors.Is(err, ErrStopped) {
			return gates, true, err // a person who stops a dream does not ask for the next one
		}
	} else if errors.Is(p.over, ErrStopped) {
		return gates, false, p.over
	}
	if force && p.Store.Unattended && !p.options.Asked {
		return gates, false, ops.Refuse("force is for a person who asks for a dream, and nobody watches this one", "without force: a gate that is closed stays so")
	}
	p.Gates.reread()
	gates = gateOptions{force: force || p.options.Asked, waits: true}
	a, err := p.Gates.ask(ctx, gates)
	if err == nil {
		err = p.Gates.refusal(a, gates)
	}
	return gates, false, err
}

// beginLocal opens a dream, if the gates are still open: a pull may have closed them.
func (p *Project) beginLocal(ctx context.Context, gates gateOptions, resume bool) error {
	defer p.Store.Lock()()
	if p.dream != nil { // begun meanwhile
		return nil
	}
	_ = p.Person.Sync(ctx) // the status says why not
	t, err := p.Store.Begin(ctx, func(dir *memory.Dir) (ops.Op, error) { return p.beginning(ctx, dir, gates, resume) })
	if _, busy := errors.AsType[*lock.BusyError](err); busy {
		return fmt.Errorf("the lock gate is closed: %w", err)
	}
	if err != nil {
		return err
	}
	openDream(p, t)
	p.History.Prune(p.Store.Now()) // only now: a stage older than a week may be the one to resume
	p.Sources.Sweep(t.Dir)
	p.dream.log(state.Event{Kind: state.EventBegun})
	if err := t.LogBegun(); err != nil {
		return errors.Join(err, p.dream.end(ops.Aborted, "its beginning could not be logged"))
	}
	return nil
}

// beginning returns the record of the dream to begin: a new one or, with resume, the newest with a kept stage. It is
// called under the lock, which another dream may have held.
func (p *Project) beginning(ctx context.Context, dir *memory.Dir, gates gateOptions, resume bool) (info ops.Op, err error) {
	a := p.Gates.check(ctx, dir, p.Store.Now(), gates)
	if err := p.Gates.refusal(a, gates); err != nil {
		return info, err
	}
	if err := indexing.Readable(dir); err != nil {
		return info, err
	}
	info = p.Store.New(lock.KindDream)
	if resume {
		left, err := p.Store.Unfinished("")
		if err != nil {
			return info, err
		}
		if len(left) == 0 {
			return info, cmp.Or(p.Store.Records.Unreadable(false), ErrNoStage)
		}
		info = reopened(left[0], info)
	}
	info.Phase, info.ToolCalls = Orienting, info.ToolCalls+1
	info.Since, info.Sessions, info.Forced, info.Unattended = a.since, a.sessions, gates.force, p.Store.Unattended
	return info, nil
}

// reopened returns the record of an operation that ended, resumed as now.
func reopened(left, now ops.Op) ops.Op {
	left.Kind, left.Host, left.Session, left.LastCall = now.Kind, now.Host, now.Session, now.LastCall
	left.Resumed, left.Outcome, left.Reason, left.Ended = true, "", "", time.Time{}
	return left
}

// PromptRead reports that the prompt dream was read on this connection, so its four phases need not be repeated.
func (p *Project) PromptRead() {
	defer p.Store.Lock()()
	p.prompted = true
}
