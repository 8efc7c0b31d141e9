// Package runs manages dreams without a person: runs of a host that is started to dream, the pauses between
// them, and the reports for the person.
//
// Only one run at a time exists, and only one hook acts on an event, whatever the number of processes. The next run
// ends and logs a run whose supervisor died. After failures the next run waits, longer each time. One process
// delivers a report; if it dies during that, another delivers the report again.
package runs

import (
	"fmt"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
)

// runLock is held while a background dream runs.
const runLock = "background.lock"

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

func (r *Runs) pause(what state.Note[state.Pause]) state.Pause {
	p, _ := what.Get(r.Store.Records.Look()) // without it there is none
	return p
}

// Claim reports whether a hook may offer a dream, or start one, and pauses the hooks that ask later: of several that a
// host calls for one event, one goes on. The next offer is made after a day, the next supervisor started after ten
// minutes. If it fails, the hook must do neither, which would be repeated at every event. It needs no mutex.
func (r *Runs) Claim(offer bool) (bool, error) {
	what, wait := state.Launches, firstPause
	if offer {
		what, wait = state.Offers, longPause
	}
	return what.Change(r.Store.Records.DB(), func(p *state.Pause) bool {
		if r.holds(*p) {
			return false
		}
		p.After = r.Store.Now().Add(wait)
		return true
	})
}

// WaitAfterUndo pauses hooks after an undo, so that they do not start or offer the same dream at once. If it cannot,
// they do. It needs no mutex.
func (r *Runs) WaitAfterUndo() {
	for _, what := range []state.Note[state.Pause]{state.Launches, state.Offers} {
		_, _ = what.Change(r.Store.Records.DB(), func(p *state.Pause) bool {
			p.After = r.Store.Now().Add(time.Duration(r.MinHours * float64(time.Hour)))
			return true
		})
	}
}

// Paused reports whether hooks must not start a dream now, or with offer not offer one. It needs no mutex.
func (r *Runs) Paused(offer bool) bool {
	if offer {
		return r.holds(r.pause(state.Offers))
	}
	return r.holds(r.pause(state.Launches))
}

func (r *Runs) holds(p state.Pause) bool {
	// A pause is at most a day, or MinHours after an undo. A longer one is from a wrong clock.
	wait := p.After.Sub(r.Store.Now())
	return wait > 0 && wait.Hours() <= max(24, r.MinHours)+12
}

// A PausedError reports that the last run failed and the next must wait.
type PausedError struct{ Why string }

func (e *PausedError) Error() string { return "the background dream waits after a failure: " + e.Why }

// retry fails with a *PausedError if the pause after a failure has not passed.
func (r *Runs) retry() error {
	wait := r.pause(state.Launches).Retry.Sub(r.Store.Now())
	if why := r.FailedRun(); why != "" && wait > 0 && wait <= longPause {
		return &PausedError{why}
	}
	return nil
}

// FailedRun describes why the last background dream failed, and when the next is tried; "" if it did not fail. It needs
// no mutex.
func (r *Runs) FailedRun() string {
	q := r.pause(state.Launches)
	if q.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d in a row; the next is tried after %s)", q.Why, q.Failures, q.Retry.UTC().Format(time.RFC3339))
}
