// Package background manages dreams without a person: runs of a host that is started to dream, the pauses between
// them, and the reports for the person.
//
// Only one run at a time exists, and only one hook acts on an event, whatever the number of processes. The next run
// ends and journals a run whose supervisor died. After failures the next run waits, longer each time. One process
// delivers a report; if it dies during that, another delivers the report again.
package background

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

// Files of background dreams in the state folder.
const (
	runLock    = "background.lock"
	runFile    = "background.json" // the current run
	offerFile  = "offer.json"
	launchFile = "launch.json"
	pauseLock  = "pause.lock"
)

// pauseWait is how long a hook waits for another that claims the same.
const pauseWait = 200 * time.Millisecond

// How long a launcher waits. Each successive failure doubles the first, up to the second: a broken host must not cost
// time at every turn.
const (
	firstPause = 10 * time.Minute
	longPause  = 24 * time.Hour
)

// Runs has the background dreams of one memory.
type Runs struct {
	Store    *ops.Store
	MinHours float64
}

// pause is the time until which something is not tried again.
type pause struct {
	After    time.Time `json:"after"`              // by hooks
	Retry    time.Time `json:"retry,omitzero"`     // by a supervisor, after a failure
	Failures int       `json:"failures,omitempty"` // in a row
	Why      string    `json:"why,omitempty"`
}

func (r *Runs) pause(file string) (q pause) {
	r.Store.Records.Note(file, &q)
	return q
}

// Claim reports whether a hook may offer a dream, or start one, and pauses the hooks that ask later: of several that a host
// calls for one event, one goes on. The next offer is made after a day, the next supervisor started after ten minutes. If it
// fails, the hook must do neither, which would be repeated at every event.
func (r *Runs) Claim(ctx context.Context, offer bool) (bool, error) {
	r.Store.Lock()
	defer r.Store.Unlock()
	unlock, err := r.Store.Records.LockNote(ctx, pauseLock, pauseWait)
	if errors.Is(err, lock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	switch {
	case r.Paused(offer):
		return false, nil
	case offer:
		err = r.pauseUntil(offerFile, r.Store.Now().Add(longPause))
	default:
		err = r.pauseUntil(launchFile, r.Store.Now().Add(firstPause))
	}
	return err == nil, err
}

// WaitAfterUndo pauses hooks after an undo, so that they do not start or offer the same dream at once.
func (r *Runs) WaitAfterUndo() error {
	after := r.Store.Now().Add(time.Duration(r.MinHours * float64(time.Hour)))
	if err := r.pauseUntil(launchFile, after); err != nil {
		return err
	}
	return r.pauseUntil(offerFile, after)
}

func (r *Runs) pauseUntil(file string, after time.Time) error {
	q := r.pause(file)
	q.After = after
	return r.Store.Records.SetNote(file, q)
}

// Paused reports whether hooks must not start a dream now, or with offer not offer one.
func (r *Runs) Paused(offer bool) bool {
	file := launchFile
	if offer {
		file = offerFile
	}
	// A pause is at most a day, or MinHours after an undo. A longer one is from a wrong clock.
	wait := r.pause(file).After.Sub(r.Store.Now())
	return wait > 0 && wait.Hours() <= max(24, r.MinHours)+12
}

// A PausedError reports that the last run failed and the next must wait.
type PausedError struct{ Why string }

func (e *PausedError) Error() string { return "the background gate is closed: " + e.Why }

// retry fails with a *PausedError if the pause after a failure has not passed.
func (r *Runs) retry() error {
	wait := r.pause(launchFile).Retry.Sub(r.Store.Now())
	if why := r.FailedRun(); why != "" && wait > 0 && wait <= longPause {
		return &PausedError{why}
	}
	return nil
}

// FailedRun describes why the last background dream failed, and when the next is tried; "" if it did not fail.
func (r *Runs) FailedRun() string {
	q := r.pause(launchFile)
	if q.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d in a row; the next is tried after %s)", q.Why, q.Failures, q.Retry.UTC().Format(time.RFC3339))
}
