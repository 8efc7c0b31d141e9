package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
)

// ErrRunning reports that a background dream of this memory is running.
var ErrRunning = errors.New("a background dream is running")

// Run is a running background dream: a host without a person, started by a supervisor. Only one exists at a time. If
// the supervisor dies, the next one ends the run.
type Run struct {
	state.Run

	r      *Runs
	db     *state.DB
	unlock func() error
}

// RunEnd is the result of a host.
type RunEnd struct {
	Host    string // the program that ran the dream
	Failure string // why it failed, or ""
	ops.Cost

	Asked       bool // a person asked for the dream at a terminal, and saw its failure: the next run need not wait
	Interrupted bool // by that person
}

// Begin begins a run if due returns nil. It fails with ErrRunning during another run and, unless a person asked, with a
// *PausedError after a failed one. It is called without the mutex, which its steps take.
func (r *Runs) Begin(ctx context.Context, asked bool, due func(context.Context) error) (*Run, error) {
	run := &Run{r: r, Run: state.Run{ID: ops.NewID(r.Store.Now()), Started: r.Store.Now(), PID: os.Getpid()}}
	err := run.lock(ctx)
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
		err = state.Running.Set(run.db, run.Run)
	}
	if err != nil {
		return nil, errors.Join(err, run.unlock())
	}
	return run, nil
}

// lock takes the lock of background dreams, and ends the run of a dead supervisor.
func (run *Run) lock(ctx context.Context) (err error) {
	r := run.r
	defer r.Store.Lock()()
	run.db = r.Store.Records.DB()
	if err := run.db.Err(); err != nil {
		return err
	}
	run.unlock, err = r.Store.Records.LockFile(ctx, runLock, 0)
	if errors.Is(err, lock.ErrHeld) {
		return ErrRunning
	}
	if err != nil {
		return err
	}
	left := Run{r: r, db: run.db}
	if left.Run, err = state.Running.Get(run.db); err == nil && left.ID != "" {
		_, err = left.conclude(ops.Crashed, RunEnd{Failure: fmt.Sprintf("its supervisor (process %d) exited", left.PID)})
	}
	if err != nil {
		return errors.Join(err, run.unlock())
	}
	return nil
}

// End ends the run: it finds the dream, ends it if its server died, and logs the run with its cost and, after a
// failure, the reason.
func (run *Run) End(ctx context.Context, e RunEnd) (ops.Outcome, error) {
	defer run.r.Store.Lock()()
	recovered := run.r.Store.Recover(ctx)
	otherwise := ops.Failed
	if e.Interrupted {
		otherwise = ops.Aborted
	}
	outcome, err := run.conclude(otherwise, e)
	return outcome, errors.Join(recovered, err, run.unlock())
}

// conclude logs the run with the outcome of its dream, or otherwise if that failed.
func (run *Run) conclude(otherwise ops.Outcome, e RunEnd) (ops.Outcome, error) {
	r, now := run.r, run.r.Store.Now()
	entry := ops.LogEntry{
		Time: now, Outcome: otherwise, Cost: e.Cost,
		Header: ops.Header{Kind: lock.KindBackground, ID: run.ID, Host: e.Host, Started: run.Started, Unattended: !e.Asked, Reason: e.Failure},
	}
	dream, err := r.dreamOf(run.Started)
	if err != nil {
		return "", err
	}
	entry.Dream, entry.SessionsSince = dream.ID, dream.SessionsSince
	if _, stopped := run.db.Operations().StopAsked(dream.ID); stopped && e.Failure == "" {
		otherwise, entry.Outcome = ops.Aborted, ops.Aborted
	}
	switch {
	case endedWell(dream):
		entry.Outcome = dream.Outcome
		_ = state.Launches.Set(run.db, state.Pause{})
	case dream.ID != "" && e.Failure == "":
		entry.Reason = fmt.Sprintf("dream %s was %s: %s", dream.ID, dream.Outcome, dream.Reason)
	case e.Failure == "":
		entry.Reason = "the host ended without a dream"
	}
	if entry.Outcome == otherwise && !e.Asked {
		// If it fails, the next run is only tried too early.
		_, _ = state.Launches.Change(run.db, func(p *state.Pause) bool {
			p.Failures++
			p.Retry = now.Add(min(longPause, firstPause<<min(p.Failures-1, 10)))
			if p.After.Before(p.Retry) { // it is later after an undo
				p.After = p.Retry
			}
			p.Why = "the last background dream failed: " + entry.Reason
			return true
		})
	}
	return entry.Outcome, errors.Join(r.Store.Records.Append(entry), state.Running.Set(run.db, state.Run{}))
}

// dreamOf returns the entry of the log of the end of the unattended dream that began after since. Of several it returns
// the first that ended well, else the last. If there is none, the entry has no ID.
func (r *Runs) dreamOf(since time.Time) (dream ops.LogEntry, err error) {
	for l, err := range r.Store.Records.Newest(state.LogQuery{Kind: string(lock.KindDream)}) {
		if err != nil || l.Time.Before(since) {
			return dream, err
		}
		if l.Unattended && !l.Started.Before(since) && l.Outcome != ops.Fired && (dream.ID == "" || endedWell(l)) {
			dream = l
		}
	}
	return dream, nil
}

func endedWell(l ops.LogEntry) bool {
	return l.Outcome == ops.Committed || l.Outcome == ops.Proposed
}
