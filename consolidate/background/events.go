package background

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"dream-mcp/memory"
)

// The record of the events that hooks were called for, and its lock.
const (
	seenFile = "heard.json"
	seenLock = "heard.lock"
)

// A host that has our hooks twice, from a plugin and from its settings, calls two hooks for one event at the same
// time. A hook called within this time after another of its kind does nothing.
const twiceSpan = 30 * time.Second

// maxSeen is the number of recorded events. With more sessions at once, a second call may not be noticed.
const maxSeen = 32

// seenWait is how long a hook waits for the lock.
const seenWait = 200 * time.Millisecond

// seen is the record of recent events.
type seen struct {
	Events []seenEvent `json:"events"`
	Twice  time.Time   `json:"twice,omitzero"` // the last time that two hooks were called for one event
}

type seenEvent struct {
	Session string    `json:"session"`
	Event   string    `json:"event"`
	Time    time.Time `json:"time"`
}

// SeenRecently records that a hook was called for an event of a session, and reports whether another was called for
// it within half a minute. It sets SeenTwice unless such events are frequent, like the end of a turn. If it cannot
// write the record, it returns false.
func (r *Runs) SeenRecently(ctx context.Context, session, event string, frequent bool) (again bool) {
	r.Store.Lock()
	defer r.Store.Unlock()
	unlock, err := r.Store.Records.LockNote(ctx, seenLock, seenWait)
	if err != nil {
		return false
	}
	defer unlock()
	now, h := r.Store.Now(), r.readSeen()
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
	r.writeSeen(h)
	return again
}

// writeSeen writes in place without syncing, since a host waits. If it fails, a second hook acts too; after a crash the file
// may be invalid, and is ignored.
func (r *Runs) writeSeen(h seen) {
	root, err := r.Store.Records.Root()
	if err != nil || r.Store.LookOnly {
		return
	}
	data, err := json.Marshal(h)
	if err != nil {
		return
	}
	f, err := memory.OpenRegular(root, seenFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(data)
}

func (r *Runs) readSeen() (h seen) {
	r.Store.Records.Note(seenFile, &h)
	return h
}

// SeenTwice returns the last time that the host called two hooks for one event, if that was within a day.
func (r *Runs) SeenTwice() time.Time {
	at := r.readSeen().Twice
	if r.Store.Now().Sub(at) >= 24*time.Hour {
		return time.Time{}
	}
	return at
}
