// Package trail records what a dream does, for those that watch it: a file beside its record, with one line of JSON for
// each event.
//
// Nothing depends on it. It is never synced, write errors are ignored, and a full trail takes no more.
package trail

import (
	"bytes"
	"encoding/json"
	"os"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// maxSize bounds a trail, in bytes; some 5,000 calls, far more than a dream has.
const maxSize = 1 << 20

// EventKind is the kind of an event.
type EventKind string

const (
	EventBegun   EventKind = "begun"
	EventMap     EventKind = "map"     // the map was read; Reviewed: the sessions; Hits: their number
	EventSearch  EventKind = "search"  // Text: the query; Hits: the number of matches
	EventListed  EventKind = "listed"  // Hits: the number of utterances listed so far
	EventContext EventKind = "context" // Text: the hit whose context was read
	EventRead    EventKind = "read"    // Text: the files; Files: those of a page of all
	EventStaged  EventKind = "staged"  // Text: the change
	EventRefused EventKind = "refused" // Text: the change and the reason
	EventDryRun  EventKind = "dry_run"
	EventLanding EventKind = "landing"
	EventEnded   EventKind = "ended" // Text: the outcome and the reason
)

// Event is an event of a dream. Credentials in its texts are masked.
type Event struct {
	Time     time.Time  `json:"time"`
	Phase    string     `json:"phase,omitempty"`
	Kind     EventKind  `json:"event"`
	Text     string     `json:"text,omitempty"` // at most 300 characters
	Hits     int        `json:"hits,omitempty"`
	Reviewed []Reviewed `json:"sessions,omitempty"`
	Files    []string   `json:"files,omitempty"`
}

// Reviewed is a session that a dream reviews.
type Reviewed struct {
	ID    string    `json:"id"`
	Host  string    `json:"host,omitempty"` // "" for the host of the dream
	Last  time.Time `json:"last"`
	First string    `json:"first,omitempty"` // the first words of the person
}

// same reports whether two events are equal but for their times.
func (e Event) same(o Event) bool {
	return e.Kind == o.Kind && e.Text == o.Text && e.Hits == o.Hits && e.Phase == o.Phase
}

// Trail is the trail of an open dream. A nil trail writes nothing.
type Trail struct {
	file *os.File
	size int64
	last Event
}

// Open opens the trail of a dream in the folder of the records. It returns nil if it cannot.
func Open(records *os.Root, id string) *Trail {
	f, err := memory.OpenRegular(records, id+ops.TrailFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil
	}
	return &Trail{file: f, size: info.Size()}
}

// Add appends e, unless it equals the event before or the trail is full. A line begins with a line feed, since the one before
// may be incomplete.
func (t *Trail) Add(e Event) {
	if t == nil || e.same(t.last) {
		return
	}
	t.last = e
	line, err := json.Marshal(e)
	if err != nil || t.size+int64(len(line)) >= maxSize {
		return
	}
	n, _ := t.file.Write(append([]byte("\n"), line...))
	t.size += int64(n)
}

// Close closes the trail.
func (t *Trail) Close() {
	if t != nil {
		t.file.Close()
	}
}

// Read reads the trail of a dream, the oldest event first. It skips invalid lines.
func Read(state *os.Root, id string) ([]Event, error) {
	data, err := memory.ReadBounded(state, ops.FileOf(id, ops.TrailFile), 2*maxSize)
	if err != nil {
		return nil, err
	}
	var events []Event
	for line := range bytes.Lines(data) {
		var e Event
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			events = append(events, e)
		}
	}
	return events, nil
}
