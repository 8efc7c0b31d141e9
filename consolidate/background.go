package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"dream-mcp/memory"
)

// Files of background dreams in our state folder. The hook looks at the last three on its own (server/hook).
const (
	runLock    = "background.lock"
	runFile    = "background.json" // the run that is under way
	untoldFile = "untold.json"
	offerFile  = "offer.json"
	launchFile = "launch.json"
)

// How long a launcher waits. Each failure in a row doubles the first, up to the second: a broken host must not
// cost a model's time at every turn.
const (
	firstPause = 10 * time.Minute
	longPause  = 24 * time.Hour
)

// ErrRunning says that a background dream of this memory is under way.
var ErrRunning = errors.New("a background dream is under way")

// pause says until when something is not tried again.
type pause struct {
	After    time.Time `json:"after"`              // by hooks
	Retry    time.Time `json:"retry,omitzero"`     // by a supervisor, after a failure
	Failures int       `json:"failures,omitempty"` // in a row
	Why      string    `json:"why,omitempty"`
}

// writePause keeps a pause.
func (p *Project) writePause(file string, q pause) error {
	state, err := p.openState()
	if err != nil {
		return err
	}
	data, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return memory.Replace(state, file, data, time.Time{})
}

func (p *Project) readPause(file string) (q pause) {
	if state, err := p.openState(); err == nil {
		if data, err := memory.ReadBounded(state, file, maxInfo); err == nil {
			json.Unmarshal(data, &q)
		}
	}
	return q
}

// Offered notes that the person is offered a dream: a day passes before the next offer, whatever they say. With an error none is
// to be made: it would be made at every start, of a dream that could not begin either.
func (p *Project) Offered() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writePause(offerFile, pause{After: p.o.Now().Add(longPause), Why: "a dream was offered"})
}

// Launched notes that somebody sees to a background dream: for ten minutes nobody else need. With an error nobody is to: it
// would be tried at every turn.
func (p *Project) Launched() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.readPause(launchFile)
	q.After = p.o.Now().Add(firstPause)
	return p.writePause(launchFile, q)
}

// Due asks the gates for who would start a dream without being asked: where no session is new, none is due, whatever
// min_sessions says. A closed lock is asked again after ten minutes.
func (p *Project) Due(ctx context.Context) (since string, sessions int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	dir, err := p.openDir()
	if err != nil {
		return "", 0, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.recoverIfLeft(ctx, dir); err != nil {
			return "", 0, err
		}
	}
	g := p.askGates(ctx, dir, now, false, func() error { return p.lockFree(ctx, dir, now) })
	if g.closed == nil && g.sessions == 0 {
		if n, err := p.o.Transcripts.Count(ctx, g.since.Time, 1); err != nil || n == 0 {
			no := false
			g.closed = &Gate{Name: "sessions", Open: &no, Why: "nothing is new since " + g.since.String()}
		}
	}
	return g.since.String(), g.sessions, g.refusal()
}

// Told is what a dream that nobody watched did, for the person to hear of once.
type Told struct {
	ID        string  `json:"id"`
	Outcome   Outcome `json:"outcome"`
	Report    string  `json:"report"`
	Decisions string  `json:"decisions,omitempty"` // with reasons in a model's own words, masked: not for another model to obey
}

// maxUntold is as much as a person wants to hear at once; older ones stand in the journal.
const maxUntold = 5

// tellLater keeps what an unattended dream did for the person's next session. What can't be kept is told by the journal alone.
func (p *Project) tellLater(d *dream, outcome Outcome) {
	answered := d.Request != nil && outcome == Committed
	if d.Kind != KindDream || !d.Unattended || answered || outcome != Proposed && (outcome != Committed || len(d.stage.Changes) == 0) {
		return
	}
	var untold []Told
	readNote(p.state, untoldFile, &untold)
	untold = append(untold, Told{ID: d.ID, Outcome: outcome, Report: report(d.stage.Changes, d.Sessions), Decisions: p.o.AllowSecrets.Mask(d.decisions())})
	if data, err := json.Marshal(untold[max(0, len(untold)-maxUntold):]); err == nil {
		memory.Replace(p.state, untoldFile, data, time.Time{})
	}
}

// TakeUntold returns what unattended dreams did since it was last called, the oldest first. Of several that call it at
// once, one is told.
func (p *Project) TakeUntold() []Told {
	p.mu.Lock()
	defer p.mu.Unlock()
	var untold []Told
	p.takeNote(untoldFile, &untold)
	return slices.DeleteFunc(untold, func(t Told) bool {
		info, err := readInfo(p.state, t.ID)
		return t.Outcome == Proposed && (err != nil || !info.waits()) // the person has answered
	})
}

// takeNote takes a note out of our state folder, and reports whether there was one that could be read. Of several that do
// so at once, one has it.
func (p *Project) takeNote(file string, v any) bool {
	state, err := p.openState()
	if err != nil {
		return false
	}
	taken := fmt.Sprintf("%s.%d", file, os.Getpid())
	if state.Rename(file, taken) != nil {
		return false
	}
	defer state.Remove(taken)
	return readNote(state, taken, v)
}

// readNote reports whether there is a note in our state folder that can be read.
func readNote(state *os.Root, file string, v any) bool {
	data, err := memory.ReadBounded(state, file, maxInfo)
	return err == nil && json.Unmarshal(data, v) == nil
}

// Run is a background dream under way: a host without a person, led by a supervisor of ours. While it lasts no other
// begins; a supervisor that dies is found by the next.
type Run struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	PID     int       `json:"pid"`

	p    *Project
	lock *flock.Flock
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
	err := r.take()
	p.mu.Unlock()
	if err == nil {
		_, _, err = p.Due(ctx)
		if err != nil {
			err = errors.Join(err, r.lock.Unlock())
		}
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = memory.Replace(p.state, runFile, data, time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, r.lock.Unlock())
	}
	return r, nil
}

// take takes the lock of background dreams, ends what a dead supervisor left, and waits out what follows a failure.
func (r *Run) take() error {
	state, err := r.p.openState()
	if err != nil {
		return err
	}
	if r.lock, err = r.p.stateLock(state, runLock); err != nil {
		return err
	}
	if ok, err := r.lock.TryLock(); err != nil {
		return err
	} else if !ok {
		return ErrRunning
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
		return errors.Join(err, r.lock.Unlock())
	}
	return nil
}

// stateLock is a lock in our state folder, yet to be taken. Whatever lies in its place but a plain file is refused: a fifo would be
// waited for, and not even a signal ends that.
func (p *Project) stateLock(state *os.Root, name string) (*flock.Flock, error) {
	f, err := memory.OpenRegular(state, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return flock.New(filepath.Join(p.StateDir(), name), flock.SetFlag(os.O_RDWR)), f.Close()
}

// paused is the error of who would try again too early after a failure.
func (p *Project) paused(now time.Time) error {
	q := p.readPause(launchFile)
	if q.Failures == 0 || !now.Before(q.Retry) || q.Retry.Sub(now) > longPause {
		return nil
	}
	no := false
	return &ClosedError{Gate{Name: "background", Open: &no, Why: fmt.Sprintf("%s; the next is tried after %s", q.Why, q.Retry.UTC().Format(time.RFC3339))}}
}

// End ends the run: it finds out what became of the dream, ends one that was left open by a dead server, and journals both
// what was spent and, after a failure, why and from when another is tried.
func (r *Run) End(ctx context.Context, e RunEnd) (Outcome, error) {
	recovered := r.p.Recover(ctx)
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	outcome, err := r.conclude(Failed, e)
	return outcome, errors.Join(recovered, err, r.lock.Unlock())
}

// conclude journals the run: as otherwise, where its dream did not end well.
func (r *Run) conclude(otherwise Outcome, e RunEnd) (Outcome, error) {
	p, now := r.p, r.p.o.Now()
	entries, err := p.journal()
	if err != nil {
		return "", err
	}
	entry := LogEntry{
		Time: now, Outcome: otherwise, Kind: KindBackground, ID: r.ID, Host: e.Host, Started: r.Started, Unattended: true,
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
		q.After = q.Retry
		q.Why = "the last background dream failed: " + entry.Reason
		_ = p.writePause(launchFile, q) // one that can't be written costs one more try
	}
	err = appendLog(p.state, entry)
	return entry.Outcome, errors.Join(err, p.state.Remove(runFile))
}

// dreamOf returns the end of the unattended dream that began since a time: of several, as of a model that gave one up and began
// anew, the first that ended well, else the last. Its ID is empty where there was none.
func dreamOf(entries []LogEntry, since time.Time) (dream LogEntry) {
	for _, l := range entries {
		if l.Kind == KindDream && l.Unattended && !l.Started.Before(since) && l.Outcome != Fired && !dream.landed() {
			dream = l
		}
	}
	return dream
}

// landed reports whether a dream ended well.
func (l LogEntry) landed() bool { return l.Outcome == Committed || l.Outcome == Proposed }

// describeRuns tells of the background dream that failed last.
func (p *Project) describeRuns(s *Status) {
	if q := p.readPause(launchFile); q.Failures > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s (%d in a row; the next is tried after %s); dream-mcp log --background shows it", q.Why, q.Failures, q.Retry.UTC().Format(time.RFC3339)))
	}
}
