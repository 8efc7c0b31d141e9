package consolidate

import (
	"context"
	"errors"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// renew begins a call of the open dream: it ends a dream whose lease has run out, that was asked to
// stop, or whose lock is lost, and otherwise counts the call, renews the lease and notes the phase
// ("": as it is). The caller holds p.mu, and p.dream is not nil.
func (p *Project) renew(phase string) error {
	d, now := p.dream, p.o.Now()
	if now.Sub(d.LastCall) >= p.o.Lease {
		return errors.Join(ErrExpired, p.end(Expired, "no call for an hour"))
	}
	if reason, asked := d.asked(); asked {
		return errors.Join(ErrStopped, p.end(Aborted, reason))
	}
	if err := lock.RenewHost(d.dir, d.record.PID, now); err != nil {
		return errors.Join(p.lost(err), err)
	}
	if now.Sub(d.leased) >= leaseRenewal {
		d.leased = now
		_ = p.takeLease(context.Background()) // the end of the dream looks whose it is
	}
	d.LastCall, d.ToolCalls = now, d.ToolCalls+1
	if phase != "" {
		d.Phase = phase
	}
	d.expiry.Reset(p.o.Lease)
	if err := d.save(); err != nil {
		return err
	}
	p.o.Changed(StatusURI)
	return nil
}

// enter is renew where a dream is open. Where one ended between two calls it says so, once: the caller
// believes it open, and what it would have staged must not be done at once.
func (p *Project) enter(phase string) error {
	if p.dream != nil {
		return p.renew(phase)
	}
	err := p.over
	p.over = nil
	return err
}

// stopPoll is how often an open dream looks whether it was asked to stop while nobody calls.
const stopPoll = 2 * time.Second

// lookForStop ends d if it was asked to stop, and else looks again later, as long as it is open.
func (p *Project) lookForStop(d *dream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != d {
		return
	}
	if reason, asked := d.asked(); asked {
		p.over = errors.Join(ErrStopped, p.end(Aborted, reason))
		return
	}
	time.AfterFunc(stopPoll, func() { p.lookForStop(d) })
}

// asked reports whether d was asked to stop, and why.
func (d *dream) asked() (reason string, asked bool) {
	why, err := memory.ReadBounded(d.folder, stopFile, 1<<10)
	return "stopped: " + strings.TrimSpace(string(why)), err == nil
}

// lost ends a dream whose lock Claude Code has taken over.
func (p *Project) lost(err error) error {
	if !errors.Is(err, lock.ErrTaken) {
		return nil // an error of the disk; the dream stays open
	}
	return errors.Join(ErrLost, p.end(Aborted, "Claude Code took the lock over"))
}

// expire is called when the lease may have run out.
func (p *Project) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.dream
	if d == nil {
		return
	}
	// A call in the future: the clock was set back, and the timer alone knows how long it has been.
	if age := p.o.Now().Sub(d.LastCall); age >= 0 && age < p.o.Lease {
		d.expiry.Reset(p.o.Lease - age)
		return
	}
	p.over = errors.Join(ErrExpired, p.end(Expired, "no call for an hour")) // an error leaves the record, and recovery ends it
}

// end closes the open dream without landing anything: the time of the last consolidation goes back,
// the stage is kept. The caller holds p.mu.
func (p *Project) end(outcome Outcome, reason string) error {
	d := p.dream
	p.dream = nil
	d.expiry.Stop()
	d.tell(Event{Kind: EventEnded, Text: string(outcome) + ": " + reason}, p.o.Now(), p.o.AllowSecrets)
	p.step("rollback")
	err := p.giveBack(d.dir, d.record, d.record.Prior)
	if err == nil {
		d.Outcome, d.Reason, d.Ended = outcome, reason, p.o.Now()
		err = errors.Join(d.save(), p.log(d, outcome, d.Ended))
	}
	if err == nil {
		p.step("clear")
		err = d.lock.Clear()
	}
	err = errors.Join(err, d.close())
	p.o.Changed(StatusURI)
	p.releaseLease()
	return err
}

// close gives back what the operation holds of the system.
func (d *dream) close() error {
	d.trail.close()
	return errors.Join(d.lock.Release(), d.folder.Close(), d.dir.Close())
}

// log writes a journal entry of d.
func (p *Project) log(d *dream, outcome Outcome, at time.Time) error {
	state, err := p.openState()
	if err != nil {
		return err
	}
	if err := appendLog(state, d.entry(d.stage.Manifest, outcome, at), p.o.AllowSecrets); err != nil {
		return err
	}
	p.queueReport(d, outcome)
	return nil
}

// entry is what the journal tells of i, whose changes m holds.
func (i Info) entry(m landing.Manifest, outcome Outcome, at time.Time) LogEntry {
	e := LogEntry{
		Time: at, Outcome: outcome, Kind: i.Kind, ID: i.ID, Host: i.Host, Session: i.Session, Started: i.Started,
		SessionsSince: i.Sessions, Forced: i.Forced, Resumed: i.Resumed, Unattended: i.Unattended, Proposed: i.Proposed, ToolCalls: i.ToolCalls,
		BytesSearched: i.BytesSearched, Waived: i.Waived, Accepted: i.Accepted, Summary: i.Summary, Reason: i.Reason, Undoes: i.Undoes,
	}
	if i.Kind == lock.KindDream && i.Since.Exists {
		hours := i.Started.Sub(i.Since.Time).Hours()
		e.HoursSince = &hours
	}
	for _, c := range m.Changes {
		e.Files = append(e.Files, c.Name.String())
	}
	return e
}
