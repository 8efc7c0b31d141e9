package background

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"dream-mcp/memory"
)

// Files of what hooks were called for, and the lock under which they are written.
const (
	seenFile = "heard.json"
	seenLock = "heard.lock"
)

// A host that knows us twice (by a plugin and by its own settings) calls two hooks for one event, at the same time. One that
// comes so soon after another of its kind has nothing to say: the next event will ask again.
const twiceSpan = 30 * time.Second

// maxSeen is how many events are remembered: of more sessions than that at once, one may be seen twice.
const maxSeen = 32

// seenWait is how long a hook waits for another to write down what it saw.
const seenWait = 200 * time.Millisecond

// seen is what hooks were called for of late.
type seen struct {
	Events []seenEvent `json:"events"`
	Twice  time.Time   `json:"twice,omitzero"` // when an event was last seen twice
}

type seenEvent struct {
	Session string    `json:"session"`
	Event   string    `json:"event"`
	Time    time.Time `json:"time"`
}

// SeenRecently notes that a hook was called for an event of a session, and reports whether another was within half a minute. A status
// reports it, unless such events are frequent: turns may end seconds after each other. What cannot be noted was seen once.
func (r *Room) SeenRecently(ctx context.Context, session, event string, frequent bool) (again bool) {
	r.Lock()
	defer r.Unlock()
	state, err := r.Root()
	if err != nil {
		return false
	}
	unlock, err := r.LockNote(ctx, seenLock, seenWait)
	if err != nil {
		return false
	}
	defer unlock()
	now, h := r.Now(), r.readSeen()
	h.Events = slices.DeleteFunc(h.Events, func(e seenEvent) bool {
		age := now.Sub(e.Time)
		return age < 0 || age > twiceSpan
	})
	if again = slices.ContainsFunc(h.Events, func(e seenEvent) bool { return e.Session == session && e.Event == event }); again && !frequent {
		h.Twice = now
	} else if !again {
		h.Events = append(h.Events, seenEvent{session, event, now})
	}
	h.Events = h.Events[max(0, len(h.Events)-maxSeen):]
	h.write(state)
	return again
}

// write writes in place and syncs nothing: a host waits, and what a crash leaves of it is read as nothing.
func (h *seen) write(state *os.Root) {
	data, err := json.Marshal(h)
	if err != nil {
		return
	}
	f, err := memory.OpenRegular(state, seenFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(data)
}

func (r *Room) readSeen() (h seen) {
	r.Note(seenFile, &h)
	return h
}

// SeenTwice is when the host last called the hook twice for one event; the zero time where that was not within a day.
func (r *Room) SeenTwice() time.Time {
	at := r.readSeen().Twice
	if r.Now().Sub(at) >= 24*time.Hour {
		return time.Time{}
	}
	return at
}
