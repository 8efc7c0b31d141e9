package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// Run is a background dream under way: a host without a person, led by a supervisor of ours. While it lasts no other
// begins; a supervisor that dies is found by the next.
type Run struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	PID     int       `json:"pid"`

	p      *Project
	unlock func() error
}

// RunEnd is what a supervisor saw of its host.
type RunEnd struct {
	Host    string // the program that dreamt
	Failure string // why it did not end well; "" where it did
	Turns   int
	Tokens  int64   // read and written, as far as the host tells
	CostUSD float64 // as the host reckons it
}

// BeginRun takes the right to start a background dream, and asks the gates. It fails with ErrRunning where one is under way,
// and with a *ClosedError where none is due, or not yet after a failure.
func (p *Project) BeginRun(ctx context.Context) (*Run, error) {
	r := &Run{p: p, ID: newID(p.o.Now()), Started: p.o.Now(), PID: os.Getpid()}
	p.mu.Lock()
	err := r.take(ctx)
	p.mu.Unlock()
	if err == nil {
		_, _, err = p.Due(ctx)
		if err != nil {
			err = errors.Join(err, r.unlock())
		}
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = landing.Replace(p.state, runFile, data, time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, r.unlock())
	}
	return r, nil
}

// take takes the lock of background dreams, ends what a dead supervisor left, and waits out what follows a failure.
func (r *Run) take(ctx context.Context) error {
	state, err := r.p.openState()
	if err != nil {
		return err
	}
	r.unlock, err = lock.Note(ctx, state, r.p.StateDir(), runLock, 0)
	if errors.Is(err, lock.ErrHeld) {
		return ErrRunning
	}
	if err != nil {
		return err
	}
	var left Run
	data, err := memory.ReadBounded(state, runFile, maxInfo)
	if err == nil && json.Unmarshal(data, &left) == nil && left.ID != "" {
		left.p = r.p
		_, err = left.conclude(Crashed, RunEnd{Failure: fmt.Sprintf("its supervisor, process %d, died", left.PID)})
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = r.p.paused(r.Started)
	}
	if err != nil {
		return errors.Join(err, r.unlock())
	}
	return nil
}

// paused is the error of who would try again too early after a failure.
func (p *Project) paused(now time.Time) error {
	q := p.readPause(launchFile)
	if q.Failures == 0 || !now.Before(q.Retry) || q.Retry.Sub(now) > longPause {
		return nil
	}
	no := false
	return &ClosedError{Gate: Gate{Name: "background", Open: &no, Why: fmt.Sprintf("%s; the next is tried after %s", q.Why, q.Retry.UTC().Format(time.RFC3339))}}
}

// End ends the run: it finds out what became of the dream, ends one that was left open by a dead server, and journals both
// what was spent and, after a failure, why and from when another is tried.
func (r *Run) End(ctx context.Context, e RunEnd) (Outcome, error) {
	recovered := r.p.Recover(ctx)
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	outcome, err := r.conclude(Failed, e)
	return outcome, errors.Join(recovered, err, r.unlock())
}

// conclude journals the run: as otherwise, where its dream did not end well.
func (r *Run) conclude(otherwise Outcome, e RunEnd) (Outcome, error) {
	p, now := r.p, r.p.o.Now()
	entries, err := p.journal()
	if err != nil {
		return "", err
	}
	entry := LogEntry{
		Time: now, Outcome: otherwise, Kind: lock.KindBackground, ID: r.ID, Host: e.Host, Started: r.Started, Unattended: true,
		Turns: e.Turns, Tokens: e.Tokens, CostUSD: e.CostUSD, Reason: e.Failure,
	}
	dream := dreamOf(entries, r.Started)
	switch {
	case dream.landed():
		entry.Outcome = dream.Outcome
		p.state.Remove(launchFile)
	case dream.ID != "" && e.Failure == "":
		entry.Reason = fmt.Sprintf("dream %s was %s: %s", dream.ID, dream.Outcome, dream.Reason)
	case e.Failure == "":
		entry.Reason = "the host ended without a dream"
	}
	entry.Dream = dream.ID
	if entry.Outcome == otherwise {
		q := p.readPause(launchFile)
		q.Failures++
		q.Retry = now.Add(min(longPause, firstPause<<min(q.Failures-1, 10)))
		if q.After.Before(q.Retry) { // after an undo it may be later
			q.After = q.Retry
		}
		q.Why = "the last background dream failed: " + entry.Reason
		_ = p.writePause(launchFile, q) // one that can't be written costs one more try
	}
	err = appendLog(p.state, entry, p.o.AllowSecrets)
	return entry.Outcome, errors.Join(err, p.state.Remove(runFile))
}

// dreamOf returns the end of the unattended dream that began since a time: of several, as of a model that gave one up and began
// anew, the first that ended well, else the last. Its ID is empty where there was none.
func dreamOf(entries []LogEntry, since time.Time) (dream LogEntry) {
	for _, l := range entries {
		if l.Kind == lock.KindDream && l.Unattended && !l.Started.Before(since) && l.Outcome != Fired && !dream.landed() {
			dream = l
		}
	}
	return dream
}

// landed reports whether a dream ended well.
func (l LogEntry) landed() bool { return l.Outcome == Committed || l.Outcome == Proposed }
