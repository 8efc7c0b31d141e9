// Package background is what happens without a person: runs of a host that is started to dream, the pauses between them, and what the
// person's next session is shown of them.
//
// One run is under way at a time, and a hook does one thing for an event, whatever the number of processes. A run whose supervisor died
// is ended and journaled by the next. After a failure the next run waits, longer each time. A report is delivered by one process; what
// a process that died had begun to deliver is delivered again.
package background

import (
	"fmt"
	"time"

	"dream-mcp/consolidate/store"
)

// Files of background dreams in the state folder.
const (
	runLock    = "background.lock"
	runFile    = "background.json" // the run that is under way
	offerFile  = "offer.json"
	launchFile = "launch.json"
)

// How long a launcher waits. Each failure in a row doubles the first, up to the second: a broken host must not
// cost a model's time at every turn.
const (
	firstPause = 10 * time.Minute
	longPause  = 24 * time.Hour
)

// Room is the background of one memory.
type Room struct {
	*store.Store
	MinHours float64
}

// pause says until when something is not tried again.
type pause struct {
	After    time.Time `json:"after"`              // by hooks
	Retry    time.Time `json:"retry,omitzero"`     // by a supervisor, after a failure
	Failures int       `json:"failures,omitempty"` // in a row
	Why      string    `json:"why,omitempty"`
}

func (r *Room) pause(file string) (q pause) {
	r.Note(file, &q)
	return q
}

// Offered notes that the person is offered a dream: a day passes before the next offer, whatever they say. With an error none is
// to be made: it would be made at every start, of a dream that could not begin either.
func (r *Room) Offered() error {
	r.Lock()
	defer r.Unlock()
	return r.SetNote(offerFile, pause{After: r.Now().Add(longPause), Why: "a dream was offered"})
}

// Launched notes that somebody sees to a background dream: for ten minutes nobody else need. With an error nobody is to: it
// would be tried at every turn.
func (r *Room) Launched() error {
	r.Lock()
	defer r.Unlock()
	return r.pauseUntil(launchFile, r.Now().Add(firstPause))
}

// WaitAfterUndo keeps hooks from starting or offering at once the dream that a person has just undone.
func (r *Room) WaitAfterUndo() error {
	after := r.Now().Add(time.Duration(r.MinHours * float64(time.Hour)))
	if err := r.pauseUntil(launchFile, after); err != nil {
		return err
	}
	return r.pauseUntil(offerFile, after)
}

func (r *Room) pauseUntil(file string, after time.Time) error {
	q := r.pause(file)
	q.After = after
	return r.SetNote(file, q)
}

// Paused reports whether hooks wait before they start a dream, or with offer before they offer one.
func (r *Room) Paused(offer bool) bool {
	file := launchFile
	if offer {
		file = offerFile
	}
	// A pause is a day at most, or MinHours after an undo. A longer one was written by a clock that was wrong.
	wait := r.pause(file).After.Sub(r.Now())
	return wait > 0 && wait.Hours() <= max(24, r.MinHours)+12
}

// A PausedError says that the last run failed, and that the next waits.
type PausedError struct{ Why string }

func (e *PausedError) Error() string { return "the background gate is closed: " + e.Why }

// retry is the error of who would try again too early after a failure.
func (r *Room) retry() error {
	wait := r.pause(launchFile).Retry.Sub(r.Now())
	if why := r.FailedRun(); why != "" && wait > 0 && wait <= longPause {
		return &PausedError{why}
	}
	return nil
}

// FailedRun says why the last background dream failed, and when another is tried; "" where it did not.
func (r *Room) FailedRun() string {
	q := r.pause(launchFile)
	if q.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d in a row; the next is tried after %s)", q.Why, q.Failures, q.Retry.UTC().Format(time.RFC3339))
}
