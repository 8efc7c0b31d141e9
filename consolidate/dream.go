package consolidate

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/left"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/visible"
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

// dream is the open dream of this process.
type dream struct {
	*ops.Tx
	p      *Project
	expiry *time.Timer
	leased time.Time   // when the lease on a shared memory was last taken or renewed
	known  reports     // not saved
	before *state.Left // what the last dream left; nil: it is not known, as in a first dream
	drawn  *Map        // the map as it was drawn last; nil: it was not asked for
	pages  topicPages  // on which all memories are read

	refused map[string]string // by path, why a write of a batch was refused that was not made again; not saved
}

// openDream makes t the open dream of p.
func openDream(p *Project, t *ops.Tx) {
	d := &dream{Tx: t, p: p, leased: p.Store.Now(), known: reports{}, refused: map[string]string{}}
	d.pages = newTopicPages(p.Store.Records.Look(), t)
	if l, err := left.Last(p.Store); err == nil {
		d.before = &l
	}
	p.dream, p.over = d, nil
	p.Store.SetOpen(t)
	d.expiry = d.later(p.options.Lease, d.expire)
	d.later(stopPoll, d.pollStop)
}

// later calls do after some time, with the mutex held, if d is still open then.
func (d *dream) later(after time.Duration, do func()) *time.Timer {
	return time.AfterFunc(after, func() {
		defer d.p.Store.Lock()()
		if d.p.dream == d {
			do()
		}
	})
}

// enter begins a call. It renews the open dream. If that has ended, it fails with the reason until that was reported:
// the caller believes that the dream is open, and its writes must not land at once.
func (p *Project) enter(phase string) error {
	if p.dream != nil {
		return p.dream.renew(phase)
	}
	return p.over
}

// Reported reports that the answer of a tool was err. If it says why a dream ended, later calls are made outside of it.
func (p *Project) Reported(err error) {
	defer p.Store.Lock()()
	if p.over != nil && errors.Is(err, p.over) {
		p.over = nil
	}
}

// renew begins a call of d. It ends a dream that has expired, was asked to stop, or has lost its lock. Otherwise it
// counts the call, renews the lease and sets the phase, unless that is "".
func (d *dream) renew(phase string) error {
	p, now := d.p, d.p.Store.Now()
	if now.Sub(d.LastCall) >= p.options.Lease {
		return d.endExpired()
	}
	if err := d.endStopped(); err != nil {
		return err
	}
	last := d.LastCall
	d.LastCall = now
	if err := d.Renew(); err != nil {
		d.LastCall = last
		return d.endLost(err)
	}
	if now.Sub(d.leased) >= share.LeaseRenewal {
		d.leased = now
		p.Share.Renew()
	}
	d.ToolCalls++
	d.Phase = cmp.Or(phase, d.Phase)
	d.expiry.Reset(p.options.Lease)
	return d.Save()
}

func (d *dream) endExpired() error { return d.endBy(ErrExpired, ops.Expired, "no call for an hour") }

// endStopped ends d if it was asked to stop.
func (d *dream) endStopped() error {
	reason, asked := d.StopAsked()
	if !asked {
		return nil
	}
	return d.endBy(ErrStopped, ops.Aborted, reason)
}

// endLost returns err. It ends d if Claude Code has taken its lock over; after an error of the disk d remains open.
func (d *dream) endLost(err error) error {
	if !errors.Is(err, lock.ErrTaken) {
		return err
	}
	return d.endBy(errors.Join(ErrLost, err), ops.Aborted, "Claude Code took the lock over")
}

// endBy ends d, and returns the error of later calls.
func (d *dream) endBy(why error, outcome ops.Outcome, reason string) error {
	d.p.over = errors.Join(why, d.end(outcome, reason))
	return d.p.over
}

// pollStop ends d if it was asked to stop between two calls. Otherwise it is called again.
func (d *dream) pollStop() {
	if d.endStopped() == nil {
		d.later(stopPoll, d.pollStop)
	}
}

// expire ends d if its lease has expired between two calls.
func (d *dream) expire() {
	// If the last call is in the future, the clock was set back, and only the timer knows the age.
	if age := d.p.Store.Now().Sub(d.LastCall); age >= 0 && age < d.p.options.Lease {
		d.expiry.Reset(d.p.options.Lease - age)
		return
	}
	_ = d.endExpired() // after an error, recovery ends it
}

// Abort ends the open dream without changing the memory, and returns the files in its stage.
func (p *Project) Abort(ctx context.Context, reason string) (id string, staged []string, err error) {
	defer p.Store.Lock()()
	if p.dream == nil {
		return "", nil, cmp.Or(p.enter(""), ops.ErrNoDream)
	}
	id, staged = p.dream.ID, p.dream.Staged()
	return id, staged, p.dream.end(ops.Aborted, reason)
}

// RequestStop asks the process of the open dream to end it before its next step, and describes that process.
func (p *Project) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	defer p.Store.Lock()()
	return p.Store.RequestStop(ctx, reason)
}

// end ends d. Unless it was committed, its stage is kept.
func (d *dream) end(outcome ops.Outcome, reason string) error {
	text := string(outcome) + ": " + reason
	if outcome == ops.Committed {
		text, reason = string(outcome)+": "+landedReport(d.Tx), ""
	}
	d.log(state.Event{Kind: state.EventEnded, Text: text})
	d.detach()
	err := d.End(outcome, reason)
	if outcome != ops.Committed { // else Finalize sends it
		d.p.Share.Release()
	}
	return err
}

// detach makes d no longer open for later calls.
func (d *dream) detach() {
	d.p.dream = nil
	d.expiry.Stop()
}

// listed returns the sessions that were listed in d; none without a dream.
func (d *dream) listed() []string {
	if d == nil || d.Listed == nil {
		return nil
	}
	return slices.Collect(maps.Keys(d.Listed.Shown))
}

// maxEventText bounds the text of an event, in characters.
const maxEventText = 300

// log adds e to the events of d, if there is a dream. An event that cannot be saved is lost.
func (d *dream) log(e state.Event) {
	if d == nil {
		return
	}
	show := func(text string) string { return said.Visible(d.p.Store.AllowSecrets.Mask(text)) }
	e.Time, e.Phase = ops.Second(d.p.Store.Now()), d.Phase
	e.Text = visible.Short(show(e.Text), maxEventText) // masked before it is cut
	for i := range e.Reviewed {
		e.Reviewed[i].First = show(e.Reviewed[i].First)
	}
	_ = d.p.Store.Records.DB().Events(d.ID).Add(e)
}
