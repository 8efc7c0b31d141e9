package consolidate

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/store"
)

// The phases of a dream.
const (
	Orienting     = "orienting"
	Gathering     = "gathering"
	Consolidating = "consolidating"
	Finalizing    = "finalizing"
)

// stopPoll is how often an open dream checks between calls whether it was asked to stop.
const stopPoll = 2 * time.Second

// dream is an open dream.
type dream struct {
	*store.Tx
	expiry *time.Timer
	trail  *trail
	leased time.Time       // when the lease on a shared memory was last taken or renewed
	stolen bool            // another machine took it over
	known  map[string]bool // the keys of the reported findings; not saved
}

// dreams is the open dream of this process, if there is one.
type dreams struct {
	*gates
	dream    *dream
	over     error // why the dream ended between two calls; the next call reports it
	prompted bool  // the prompt dream was read on this connection
}

// setOpen makes t the open dream.
func (p *dreams) setOpen(t *store.Tx) {
	d := &dream{Tx: t, trail: openTrail(t.Folder)}
	d.expiry = time.AfterFunc(p.o.Lease, p.expire)
	p.dream = d
	p.SetOpen(t)
	time.AfterFunc(stopPoll, func() { p.pollStop(d) })
}

// enter begins a call. It renews the open dream. If a dream ended between two calls, it fails once with the reason: the
// caller believes that the dream is open, and its write must not land at once.
func (p *dreams) enter(phase string) error {
	if p.dream != nil {
		return p.renew(phase)
	}
	err := p.over
	p.over = nil
	return err
}

// renew begins a call of the open dream. It ends a dream that has expired, was asked to stop, or has lost its lock.
// Otherwise it counts the call, renews the lease and sets the phase, unless that is "".
func (p *dreams) renew(phase string) error {
	d, now := p.dream, p.Now()
	if now.Sub(d.LastCall) >= p.o.Lease {
		return errors.Join(ErrExpired, p.end(store.Expired, "no call for an hour"))
	}
	if reason, asked := d.StopAsked(); asked {
		return errors.Join(ErrStopped, p.end(store.Aborted, reason))
	}
	last := d.LastCall
	d.LastCall = now
	if err := d.Renew(); err != nil {
		d.LastCall = last
		return errors.Join(p.lost(err), err)
	}
	if now.Sub(d.leased) >= share.LeaseRenewal {
		d.leased = now
		_ = p.Share.TakeLease(context.Background()) // the end of the dream checks whether it is still ours
	}
	d.ToolCalls++
	d.Phase = cmp.Or(phase, d.Phase)
	d.expiry.Reset(p.o.Lease)
	if err := d.Save(); err != nil {
		return err
	}
	p.Changed(store.StatusURI)
	return nil
}

// lost ends the dream if Claude Code has taken its lock over.
func (p *dreams) lost(err error) error {
	if !errors.Is(err, lock.ErrTaken) {
		return nil // an error of the disk; the dream remains open
	}
	return errors.Join(ErrLost, p.end(store.Aborted, "Claude Code took the lock over"))
}

// pollStop ends d if it was asked to stop. Otherwise it calls itself again later, while d is open.
func (p *dreams) pollStop(d *dream) {
	p.Lock()
	defer p.Unlock()
	if p.dream != d {
		return
	}
	if reason, asked := d.StopAsked(); asked {
		p.over = errors.Join(ErrStopped, p.end(store.Aborted, reason))
		return
	}
	time.AfterFunc(stopPoll, func() { p.pollStop(d) })
}

// expire ends the dream if its lease has expired.
func (p *dreams) expire() {
	p.Lock()
	defer p.Unlock()
	d := p.dream
	if d == nil {
		return
	}
	// If the last call is in the future, the clock was set back, and only the timer knows the age.
	if age := p.Now().Sub(d.LastCall); age >= 0 && age < p.o.Lease {
		d.expiry.Reset(p.o.Lease - age)
		return
	}
	p.over = errors.Join(ErrExpired, p.end(store.Expired, "no call for an hour")) // after an error, recovery ends it
}

// Abort ends the open dream without changing the memory, and returns the files in its stage.
func (p *dreams) Abort(ctx context.Context, reason string) (id string, staged []string, err error) {
	p.Lock()
	defer p.Unlock()
	if p.dream == nil {
		return "", nil, cmp.Or(p.enter(""), store.ErrNoDream)
	}
	id, staged = p.dream.ID, p.dream.Staged()
	return id, staged, p.end(store.Aborted, reason)
}

// RequestStop asks the process of the open dream to end it before its next step, and describes that process.
func (p *dreams) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	p.Lock()
	defer p.Unlock()
	return p.Store.RequestStop(ctx, reason)
}

// end ends the open dream. Unless it was committed, its stage is kept.
func (p *dreams) end(outcome store.Outcome, reason string) error {
	d := p.detach()
	text := string(outcome) + ": " + reason
	if outcome == store.Committed {
		text, reason = string(outcome)+": "+landedReport(d.Tx), ""
	}
	d.logEvent(Event{Kind: EventEnded, Text: text}, p.Now(), p.AllowSecrets)
	d.trail.close()
	err := d.End(outcome, reason)
	p.Share.End(outcome == store.Committed)
	return err
}

// detach returns the open dream, which is no longer open for later calls.
func (p *dreams) detach() *dream {
	d := p.dream
	p.dream = nil
	d.expiry.Stop()
	return d
}
