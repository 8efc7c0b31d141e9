package consolidate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
)

// Files of what hooks were called for, and the lock under which they are written.
const (
	heardFile = "heard.json"
	heardLock = "heard.lock"
)

// A host that knows us twice (by a plugin and by its own settings) calls two hooks for one event, at the same time. One that
// comes so soon after another of its kind has nothing to say: the next event will ask again.
const twiceSpan = 30 * time.Second

// maxHeard is how many events are remembered: of more sessions than that at once, one may be heard twice.
const maxHeard = 32

// heardPatience is how long a hook waits for another to write down what it heard.
const heardPatience = 200 * time.Millisecond

// heard is what hooks were called for of late.
type heard struct {
	Events []heardEvent `json:"events"`
	Twice  time.Time    `json:"twice,omitzero"` // when an event was last heard twice
}

type heardEvent struct {
	Session string    `json:"session"`
	Event   string    `json:"event"`
	Time    time.Time `json:"time"`
}

// Heard notes that a hook was called for an event of a session, and reports whether another was within half a minute. The
// person is told of it, unless such events are frequent: turns may end seconds after each other. What can't be noted was heard
// once.
func (p *Project) Heard(ctx context.Context, session, event string, frequent bool) (again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state, err := p.openState()
	if err != nil {
		return false
	}
	unlock, err := lock.Note(ctx, state, p.StateDir(), heardLock, heardPatience)
	if err != nil {
		return false
	}
	defer unlock()
	now, h := p.o.Now(), p.readHeard()
	h.Events = slices.DeleteFunc(h.Events, func(e heardEvent) bool {
		age := now.Sub(e.Time)
		return age < 0 || age > twiceSpan
	})
	if again = slices.ContainsFunc(h.Events, func(e heardEvent) bool { return e.Session == session && e.Event == event }); again && !frequent {
		h.Twice = now
	} else if !again {
		h.Events = append(h.Events, heardEvent{session, event, now})
	}
	h.Events = h.Events[max(0, len(h.Events)-maxHeard):]
	h.write(state)
	return again
}

// write writes in place and syncs nothing: a host waits, and what a crash leaves of it is read as nothing.
func (h *heard) write(state *os.Root) {
	data, err := json.Marshal(h)
	if err != nil {
		return
	}
	f, err := memory.OpenRegular(state, heardFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(data)
}

func (p *Project) readHeard() (h heard) {
	if state, err := p.openState(); err == nil {
		readNote(state, heardFile, &h)
	}
	return h
}

// describeHeard tells of a hook that was called twice within the last day.
func (p *Project) describeHeard(s *Status) {
	if at := p.readHeard().Twice; !at.IsZero() && p.o.Now().Sub(at) < 24*time.Hour {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the host called the hook twice for one event (at %s); the second did nothing. dream-mcp doctor says whether it knows dream-mcp twice", at.UTC().Format(time.RFC3339)))
	}
}
