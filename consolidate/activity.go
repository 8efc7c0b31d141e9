package consolidate

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/visible"
)

// The trail of a dream is a file beside its record with one line of JSON for each event, for watchers. Nothing depends on it, so
// it is never synced, and write errors are ignored.
const (
	maxTrail     = 1 << 20 // bytes; some 5,000 calls, far more than a dream has
	maxEventText = 300     // characters
	maxReviewed  = 30      // sessions that the trail names
)

// EventKind is the kind of an event.
type EventKind string

const (
	EventBegun   EventKind = "begun"
	EventMap     EventKind = "map"     // the map was read; Reviewed: the sessions; Hits: their number
	EventSearch  EventKind = "search"  // Text: the query; Hits: the number of matches
	EventListed  EventKind = "listed"  // Hits: the number of utterances listed so far
	EventContext EventKind = "context" // Text: the hit whose context was read
	EventRead    EventKind = "read"    // Text: the files
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

// trail is the trail of an open dream. A nil trail writes nothing.
type trail struct {
	file *os.File
	size int64
	last Event
}

// openTrail opens the trail of a dream in the folder of the records. It returns nil if it cannot.
func openTrail(records *os.Root, id string) *trail {
	f, err := memory.OpenRegular(records, id+ops.TrailFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil
	}
	return &trail{file: f, size: info.Size()}
}

// add appends e, unless it equals the event before or the trail is full. A line begins with a line feed, since the one before
// may be incomplete.
func (t *trail) add(e Event) {
	if t == nil || e.same(t.last) {
		return
	}
	t.last = e
	line, err := json.Marshal(e)
	if err != nil || t.size+int64(len(line)) >= maxTrail {
		return
	}
	n, _ := t.file.Write(append([]byte("\n"), line...))
	t.size += int64(n)
}

// close closes the trail.
func (t *trail) close() {
	if t != nil {
		t.file.Close()
	}
}

// log adds e to the trail of d, if there is a dream.
func (d *dream) log(e Event) {
	if d == nil {
		return
	}
	show := func(text string) string { return said.Visible(d.p.Store.AllowSecrets.Mask(text)) }
	e.Time, e.Phase = ops.Second(d.p.Store.Now()), d.Phase
	e.Text = visible.Short(show(e.Text), maxEventText) // masked before it is cut
	for i := range e.Reviewed {
		e.Reviewed[i].First = show(e.Reviewed[i].First)
	}
	d.trail.add(e)
	d.p.Store.Changed(ops.StatusURI)
}

// describeQuery describes a search.
func describeQuery(q search.Query) string {
	if len(q.Patterns) > 0 {
		return strings.Join(q.Patterns, " | ")
	}
	return q.Pattern
}

// readTrail reads the trail of a dream, the oldest event first. It skips invalid lines.
func readTrail(state *os.Root, id string) ([]Event, error) {
	data, err := memory.ReadBounded(state, ops.FileOf(id, ops.TrailFile), 2*maxTrail)
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
