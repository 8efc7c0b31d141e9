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

// stopPoll is how often an open dream looks whether it was asked to stop while nobody calls.
const stopPoll = 2 * time.Second

// dream is an open dream.
type dream struct {
	*store.Tx
	expiry *time.Timer
	trail  *trail
	leased time.Time       // when the lease on a shared memory was taken or renewed
	stolen bool            // another machine took it over
	known  map[string]bool // the findings that were reported, by key; not kept for the next process
}

// dreams is the open dream of this process, if there is one.
type dreams struct {
	*gates
	dream    *dream
	over     error // why a dream ended between two calls, until the next call reports it
	prompted bool  // the prompt dream was read on this connection
}

// opened makes t the open dream.
func (p *dreams) opened(t *store.Tx) {
	d := &dream{Tx: t, trail: openTrail(t.Folder)}
	d.expiry = time.AfterFunc(p.o.Lease, p.expire)
	p.dream = d
	p.SetOpen(t)
	time.AfterFunc(stopPoll, func() { p.lookForStop(d) })
}

// enter begins a call: renew where a dream is open. Where one ended between two calls it says so, once: the caller
// believes it open, and what it would have staged must not be done at once.
func (p *dreams) enter(phase string) error {
	if p.dream != nil {
		return p.renew(phase)
	}
	err := p.over
	p.over = nil
	return err
}

// renew begins a call of the open dream: it ends a dream whose lease has run out, that was asked to
// stop, or whose lock is lost, and otherwise counts the call, renews the lease and notes the phase
// ("": as it is).
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

// lost ends a dream whose lock Claude Code has taken over.
func (p *dreams) lost(err error) error {
	if !errors.Is(err, lock.ErrTaken) {
		return nil // an error of the disk; the dream stays open
	}
	return errors.Join(ErrLost, p.end(store.Aborted, "Claude Code took the lock over"))
}

// lookForStop ends d if it was asked to stop, and else looks again later, as long as it is open.
func (p *dreams) lookForStop(d *dream) {
	p.Lock()
	defer p.Unlock()
	if p.dream != d {
		return
	}
	if reason, asked := d.StopAsked(); asked {
		p.over = errors.Join(ErrStopped, p.end(store.Aborted, reason))
		return
	}
	time.AfterFunc(stopPoll, func() { p.lookForStop(d) })
}

// expire is called when the lease may have run out.
func (p *dreams) expire() {
	p.Lock()
	defer p.Unlock()
	d := p.dream
	if d == nil {
		return
	}
	// A call in the future: the clock was set back, and the timer alone knows how long it has been.
	if age := p.Now().Sub(d.LastCall); age >= 0 && age < p.o.Lease {
		d.expiry.Reset(p.o.Lease - age)
		return
	}
	p.over = errors.Join(ErrExpired, p.end(store.Expired, "no call for an hour")) // an error leaves the record, and recovery ends it
}

// Abort ends the open dream without a trace in the memory, and returns what its stage held.
func (p *dreams) Abort(ctx context.Context, reason string) (id string, staged []string, err error) {
	p.Lock()
	defer p.Unlock()
	if p.dream == nil {
		return "", nil, cmp.Or(p.enter(""), store.ErrNoDream)
	}
	id, staged = p.dream.ID, p.dream.Staged()
	return id, staged, p.end(store.Aborted, reason)
}

// RequestStop asks the process that has a dream open to end it before its next step, and says which
// it is.
func (p *dreams) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	p.Lock()
	defer p.Unlock()
	return p.Store.RequestStop(ctx, reason)
}

// end closes the open dream: landed, or with its stage kept.
func (p *dreams) end(outcome store.Outcome, reason string) error {
	d := p.leave()
	text := string(outcome) + ": " + reason
	if outcome == store.Committed {
		text, reason = string(outcome)+": "+landedReport(d.Tx), ""
	}
	d.tell(Event{Kind: EventEnded, Text: text}, p.Now(), p.AllowSecrets)
	d.trail.close()
	err := d.End(outcome, reason)
	p.Share.End(outcome == store.Committed)
	return err
}

// leave forgets the open dream.
func (p *dreams) leave() *dream {
	d := p.dream
	p.dream = nil
	d.expiry.Stop()
	return d
}
