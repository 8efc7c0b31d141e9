package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// begin opens an operation under l: its folder, its stage, and its record in the lock file.
func (p *Project) begin(l *lock.Lock, dir *memory.Dir, info Info) (*dream, error) {
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	name := path.Join(dreamFolder, info.ID)
	if err := state.Mkdir(name, 0o700); err != nil && !(info.Resumed && errors.Is(err, fs.ErrExist)) {
		return nil, err
	}
	if err := landing.SyncFolder(state, dreamFolder); err != nil {
		return nil, err
	}
	folder, err := memory.OpenBelow(state, name)
	if err != nil {
		return nil, err
	}
	d := &dream{Info: info, dir: dir, lock: l, folder: folder, allowed: p.o.AllowSecrets}
	if info.Resumed {
		folder.Remove(stopFile) // it was for the run that it ended
		d.stage, err = landing.OpenStage(dir, folder)
	} else {
		d.stage, err = landing.NewStage(dir, folder)
	}
	if err == nil {
		err = d.save()
	}
	if err == nil {
		err = d.claim(p, dir)
	}
	if err != nil {
		folder.Close()
		if !info.Resumed {
			err = errors.Join(err, p.discard(info.ID))
		}
		return nil, err
	}
	return d, nil
}

// claim writes the record into the lock file and, for a dream, takes Claude Code's lock. What is
// needed to undo the taking is on disk before it is taken.
func (d *dream) claim(p *Project, dir *memory.Dir) error {
	prior, err := lock.ReadHost(dir.Root())
	if err != nil {
		return err
	}
	d.record = lock.NewRecord(d.ID, d.Kind, d.Started, prior.Stamp, filepath.Join(p.StateDir(), dreamFolder, d.ID))
	p.step("record")
	if err := d.lock.Write(d.record); err != nil {
		return err
	}
	if d.Kind != lock.KindDream {
		return nil
	}
	p.step("native")
	err = lock.ErrHeld // where it was taken since it was seen free, there is nothing to take
	if !prior.Held(d.LastCall) {
		err = lock.TakeHost(dir, prior, d.LastCall)
	}
	if err != nil {
		if errors.Is(err, lock.ErrHeld) {
			err = &lock.BusyError{Native: true, Holder: "Claude Code has begun a dream in this moment"}
		}
		return errors.Join(err, p.unclaim(d))
	}
	p.step("claimed")
	return nil
}

// unclaim takes back what claim took. An error leaves the record, and recovery ends it.
func (p *Project) unclaim(d *dream) error {
	if err := p.giveBack(d.dir, d.record, d.record.Prior); err != nil {
		return err
	}
	return d.lock.Clear()
}

func (p *Project) step(name string) {
	if p.o.Step != nil {
		p.o.Step(name)
	}
}

// Begin opens a dream, or returns the one that this process has open already. With force, a person
// asked for it: time and sessions are open, and after AskedFor what the person switched off. With resume, it takes up the newest stage that was left. Where a gate is closed it
// fails with a *ClosedError and has made nothing.
func (p *Project) Begin(ctx context.Context, force, resume bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		err := p.renew("")
		if err == nil || p.dream != nil || errors.Is(err, ErrStopped) {
			return err // a person who stops a dream does not ask for the next one
		}
	} else if err := p.enter(""); errors.Is(err, ErrStopped) {
		return err
	}
	if force && p.o.Unattended {
		return &RequestError{"force is for a person who asks for a dream, and nobody watches this one", "without force: a gate that is closed stays so"}
	}
	p.reread()
	p.takeOver(ctx)
	now := p.o.Now()
	g, err := p.askUnlocked(ctx, now, force)
	if err != nil {
		return p.switchedOff(err, force)
	}
	if err := p.takeLease(ctx); err != nil {
		return err
	}
	d, err := p.takeAndBegin(ctx, now, g, force, resume)
	if err != nil {
		p.releaseLease()
		return err
	}
	d.leased = now
	d.expiry = time.AfterFunc(p.o.Lease, p.expire)
	time.AfterFunc(stopPoll, func() { p.lookForStop(d) })
	p.dream = d
	p.tell(Event{Kind: EventBegun})
	if err := p.log(d, Fired, now); err != nil {
		return errors.Join(err, p.end(Aborted, "its beginning could not be journaled"))
	}
	return nil
}

// takeAndBegin begins a dream under our lock.
func (p *Project) takeAndBegin(ctx context.Context, now time.Time, g gateAnswers, force, resume bool) (*dream, error) {
	dir, err := p.makeDir()
	if err != nil {
		return nil, err
	}
	l, err := p.lockWait(ctx, dir, momentWait)
	if err != nil {
		return nil, errors.Join(lockClosed(err), dir.Close())
	}
	d, err := p.beginLocked(ctx, l, dir, now, g, force, resume)
	if err != nil {
		return nil, errors.Join(lockClosed(err), l.Release(), dir.Close())
	}
	return d, nil
}

// AskedFor says that the person asks for dreams on this connection: what they switched off, force opens from now on. Memory
// that is switched off stays so.
func (p *Project) AskedFor() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

// PromptRead says that the prompt dream was read on this connection: its four phases need not be repeated.
func (p *Project) PromptRead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prompted = true
}

// switchedOff adds to the error of a gate that the person closed how they open it: force alone does not.
func (p *Project) switchedOff(err error, force bool) error {
	var closed *ClosedError
	if !errors.As(err, &closed) || closed.Gate.Name != "enabled" {
		return err
	}
	if closed.MemoryOff = p.o.Enabled.MemoryOff; closed.MemoryOff || !force {
		return err
	}
	return &PersonError{Err: err, Question: "Dreams are switched off: " + closed.Gate.Why + ". Consolidate the memory now all the same?", Terminal: "dream-mcp mode suggest"}
}

// lockClosed says of a lock that could not be had that it is a gate.
func lockClosed(err error) error {
	var busy *lock.BusyError
	if errors.As(err, &busy) {
		return fmt.Errorf("the lock gate is closed: %w", err)
	}
	return err
}

// askUnlocked asks all gates but the lock, which is waited for.
func (p *Project) askUnlocked(ctx context.Context, now time.Time, force bool) (gateAnswers, error) {
	dir, err := p.openDisk()
	if err != nil {
		return gateAnswers{}, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.recoverIfLeft(ctx, dir); err != nil {
			return gateAnswers{}, err
		}
	}
	g := p.askGates(ctx, dir, now, question{force: force})
	return g, g.refusal()
}

func (p *Project) beginLocked(ctx context.Context, l *lock.Lock, dir *memory.Dir, now time.Time, g gateAnswers, force, resume bool) (*dream, error) {
	if since, err := p.lastConsolidation(dir); err != nil {
		return nil, err
	} else if !since.Same(g.since) {
		// Somebody dreamed while the lock was waited for.
		if g = p.askGates(ctx, dir, now, question{force: force}); g.closed != nil {
			return nil, g.refusal()
		}
	}
	if err := lock.HostFree(dir.Root(), now); err != nil {
		return nil, err
	}
	if err := indexReadable(dir); err != nil {
		return nil, err
	}
	info := Info{ID: newID(now), Started: now}
	if resume {
		entries, err := p.journal()
		if err != nil {
			return nil, err
		}
		left, err := p.unfinished(entries, "")
		if err != nil {
			return nil, err
		}
		if len(left) == 0 {
			return nil, ErrNoStage
		}
		info = left[0]
		info.Resumed, info.Outcome, info.Reason, info.Ended = true, "", "", time.Time{}
	}
	info.Kind, info.Host, info.Session = lock.KindDream, p.o.Host, p.o.Session
	info.LastCall, info.Phase, info.ToolCalls = now, Orienting, info.ToolCalls+1
	info.Since, info.Sessions, info.Forced, info.Unattended = g.since, g.sessions, force, p.o.Unattended
	d, err := p.begin(l, dir, info)
	if err == nil {
		d.trail = openTrail(d.folder)
		p.prune(now) // not before: a stage older than a week may be the one to resume
		p.sweepWords(dir, now)
	}
	return d, err
}
