package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
)

// ErrRunning says that a background dream of this memory is under way.
var ErrRunning = errors.New("a background dream is under way")

// Run is a background dream under way: a host without a person, led by a supervisor of ours. While it lasts no other
// begins; a supervisor that dies is found by the next.
type Run struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	PID     int       `json:"pid"`

	r      *Room
	unlock func() error
}

// RunEnd is what a supervisor saw of its host.
type RunEnd struct {
	Host    string // the program that ran the dream
	Failure string // why it did not end well; "" where it did
	Turns   int
	Tokens  int64   // read and written, as far as the host reports them
	CostUSD float64 // as the host reckons it
}

// Begin takes the right to start a background dream, and asks due whether one is. It fails with ErrRunning where one is under way,
// and with a *PausedError where one has failed and the next waits, unless a person asked.
func (r *Room) Begin(ctx context.Context, asked bool, due func(context.Context) error) (*Run, error) {
	run := &Run{r: r, ID: store.NewID(r.Now()), Started: r.Now(), PID: os.Getpid()}
	r.Lock()
	err := run.take(ctx)
	r.Unlock()
	if err != nil {
		return nil, err
	}
	if !asked {
		err = r.retry()
	}
	if err == nil {
		err = due(ctx)
	}
	if err == nil {
		err = r.SetNote(runFile, run)
	}
	if err != nil {
		return nil, errors.Join(err, run.unlock())
	}
	return run, nil
}

// take takes the lock of background dreams, and ends what a dead supervisor left.
func (run *Run) take(ctx context.Context) (err error) {
	r := run.r
	run.unlock, err = r.LockNote(ctx, runLock, 0)
	if errors.Is(err, lock.ErrHeld) {
		return ErrRunning
	}
	if err != nil {
		return err
	}
	var left Run
	if r.Note(runFile, &left) && left.ID != "" {
		left.r = r
		_, err = left.conclude(store.Crashed, RunEnd{Failure: fmt.Sprintf("its supervisor, process %d, died", left.PID)})
	}
	if err != nil {
		return errors.Join(err, run.unlock())
	}
	return nil
}

// End ends the run: it finds out what became of the dream, ends one that was left open by a dead server, and journals both
// what was spent and, after a failure, why and from when another is tried.
func (run *Run) End(ctx context.Context, e RunEnd) (store.Outcome, error) {
	run.r.Lock()
	defer run.r.Unlock()
	recovered := run.r.Recover(ctx)
	outcome, err := run.conclude(store.Failed, e)
	return outcome, errors.Join(recovered, err, run.unlock())
}

// conclude journals the run: as otherwise, where its dream did not end well.
func (run *Run) conclude(otherwise store.Outcome, e RunEnd) (store.Outcome, error) {
	r, now := run.r, run.r.Now()
	entries, err := r.Journal()
	if err != nil {
		return "", err
	}
	entry := store.LogEntry{
		Time: now, Outcome: otherwise, Kind: lock.KindBackground, ID: run.ID, Host: e.Host, Started: run.Started, Unattended: true,
		Turns: e.Turns, Tokens: e.Tokens, CostUSD: e.CostUSD, Reason: e.Failure,
	}
	dream := dreamOf(entries, run.Started)
	entry.Dream = dream.ID
	switch {
	case endedWell(dream):
		entry.Outcome = dream.Outcome
		r.RemoveNote(launchFile)
	case dream.ID != "" && e.Failure == "":
		entry.Reason = fmt.Sprintf("dream %s was %s: %s", dream.ID, dream.Outcome, dream.Reason)
	case e.Failure == "":
		entry.Reason = "the host ended without a dream"
	}
	if entry.Outcome == otherwise {
		q := r.pause(launchFile)
		q.Failures++
		q.Retry = now.Add(min(longPause, firstPause<<min(q.Failures-1, 10)))
		if q.After.Before(q.Retry) { // after an undo it may be later
			q.After = q.Retry
		}
		q.Why = "the last background dream failed: " + entry.Reason
		_ = r.SetNote(launchFile, q) // one that can't be written costs one more try
	}
	return entry.Outcome, errors.Join(r.Append(entry), r.RemoveNote(runFile))
}

// dreamOf returns the end of the unattended dream that began since a time: of several, as of a model that gave one up and began
// again, the first that ended well, else the last. Its ID is empty where there was none.
func dreamOf(entries []store.LogEntry, since time.Time) (dream store.LogEntry) {
	for _, l := range entries {
		if l.Kind == lock.KindDream && l.Unattended && !l.Started.Before(since) && l.Outcome != store.Fired && !endedWell(dream) {
			dream = l
		}
	}
	return dream
}

func endedWell(l store.LogEntry) bool {
	return l.Outcome == store.Committed || l.Outcome == store.Proposed
}
