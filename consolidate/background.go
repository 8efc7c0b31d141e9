package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// Files of background dreams in our state folder.
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
	return landing.Replace(state, file, data, time.Time{})
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

// Soon reports whether a dream may begin, as far as looks at a few files tell: the gates enabled, time and throttle are open, and no
// earlier hook said that it would wait. With offer it is asked for who offers a dream, else for who starts one. What a crash left is for
// Due to end.
func (p *Project) Soon(offer bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	dir, err := p.openDisk()
	if err != nil || !p.o.Enabled.On {
		return false
	}
	if dir != nil {
		defer dir.Close()
	}
	since, err := p.lastConsolidation(dir)
	if err != nil {
		return true // Due says why
	}
	if open, _ := p.timeGate(since, now, false); !open {
		return false
	}
	if open, _ := p.throttleGate(since, now, true); !open {
		return false
	}
	file := launchFile
	if offer {
		file = offerFile
	}
	// A pause is a day at most, or min_hours after an undo. A longer one was written by a clock that was wrong.
	after := p.readPause(file).After
	return !now.Before(after) || after.Sub(now).Hours() > max(24, p.o.MinHours)+12
}

// Due asks the gates for who would start a dream without being asked: where no session is new, none is due, whatever
// min_sessions says. A closed lock is asked again after ten minutes.
func (p *Project) Due(ctx context.Context) (since string, sessions int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	dir, err := p.openDisk()
	if err != nil {
		return "", 0, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.recoverIfLeft(ctx, dir); err != nil {
			return "", 0, err
		}
	}
	g := p.askGates(ctx, dir, now, question{hook: true, free: func() error { return p.free(dir, now) }})
	if g.closed == nil && g.sessions == 0 {
		if n, err := p.o.Transcripts.Count(ctx, g.since.Time, 1); err != nil || n == 0 {
			no := false
			g.closed = &Gate{Name: "sessions", Open: &no, Why: "nothing is new since " + g.since.String()}
		}
	}
	return g.since.String(), g.sessions, g.refusal()
}

// readNote reports whether there is a note in our state folder that can be read.
func readNote(state *os.Root, file string, v any) bool {
	data, err := memory.ReadBounded(state, file, maxInfo)
	return err == nil && json.Unmarshal(data, v) == nil
}

// describeRuns tells of the background dream that failed last.
func (p *Project) describeRuns(s *Status) {
	if why := p.failedRun(); why != "" {
		s.Warnings = append(s.Warnings, why+"; dream-mcp log --background shows it")
	}
}

// failedRun says why the last background dream failed, and when another is tried; "" where it did not.
func (p *Project) failedRun() string {
	q := p.readPause(launchFile)
	if q.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d in a row; the next is tried after %s)", q.Why, q.Failures, q.Retry.UTC().Format(time.RFC3339))
}
