package consolidate

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/signal"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// The trail of a dream lies in its folder: a line of JSON for each thing that it did, for whoever
// watches. Nothing depends on it. It is written once a call, never synced, and what can't be written
// is left out.
const (
	trailFile    = "activity.jsonl"
	maxTrail     = 1 << 20 // bytes; some 5,000 calls, far more than a dream has turns
	maxEventText = 300     // characters
	maxReviewed  = 30      // sessions that the trail names
)

// EventKind says what a dream did.
type EventKind string

// The kinds of events.
const (
	EventBegun   EventKind = "begun"
	EventMap     EventKind = "map"     // it looked at the map; Reviewed names the sessions, Hits counts them
	EventSearch  EventKind = "search"  // Text: what for; Hits: how much was found
	EventListed  EventKind = "listed"  // Hits: how many utterances it was shown so far
	EventContext EventKind = "context" // Text: the hit around which it read
	EventRead    EventKind = "read"    // Text: the files
	EventStaged  EventKind = "staged"  // Text: what was done to which file
	EventRefused EventKind = "refused" // Text: what, and why
	EventDryRun  EventKind = "dry_run"
	EventLanding EventKind = "landing"
	EventEnded   EventKind = "ended" // Text: the outcome, and why
	EventCut     EventKind = "cut"   // the trail is full; later events are not written
)

// Event is one thing that a dream did. Its texts may be shown.
type Event struct {
	Time     time.Time  `json:"time"`
	Phase    string     `json:"phase,omitempty"`
	Kind     EventKind  `json:"event"`
	Text     string     `json:"text,omitempty"` // at most 300 characters
	Hits     int        `json:"hits,omitempty"`
	Reviewed []Reviewed `json:"sessions,omitempty"`
}

// Reviewed is a session that a dream has before it.
type Reviewed struct {
	ID    string    `json:"id"`
	Host  string    `json:"host,omitempty"` // where it is another than the dream's
	Last  time.Time `json:"last"`
	First string    `json:"first,omitempty"` // the first words that a person typed
}

// same reports whether two events tell the same, whenever it was.
func (e Event) same(o Event) bool {
	return e.Kind == o.Kind && e.Text == o.Text && e.Hits == o.Hits && e.Phase == o.Phase
}

// trail is the trail of a dream of ours. A nil trail writes nothing.
type trail struct {
	file *os.File
	size int64
	torn bool // the last line may lack its end
	last Event
}

// openTrail opens the trail in the folder of a dream; nil where it can't be had.
func openTrail(folder *os.Root) *trail {
	f, err := memory.OpenRegular(folder, trailFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil
	}
	return &trail{file: f, size: info.Size(), torn: info.Size() > 0}
}

// add appends e unless it repeats the event before. The last line of a full trail says that it is full.
func (t *trail) add(e Event) {
	if t == nil || t.size >= maxTrail || e.same(t.last) {
		return
	}
	t.last = e
	line, err := json.Marshal(e)
	if err == nil && t.size+int64(len(line)) >= maxTrail {
		line, err = json.Marshal(Event{Time: e.Time, Phase: e.Phase, Kind: EventCut})
		t.size = maxTrail
	}
	if err != nil {
		return
	}
	if t.torn {
		line = append([]byte("\n"), line...)
	}
	n, err := t.file.Write(append(line, '\n'))
	t.size += int64(n)
	t.torn = err != nil
}

// close closes the trail; where that fails, nothing depended on it.
func (t *trail) close() {
	if t != nil {
		t.file.Close()
	}
}

// tell adds e to the trail of the open dream, if there is one.
func (p *dreams) tell(e Event) {
	if p.dream != nil {
		p.dream.tell(e, p.Now(), p.AllowSecrets)
		p.Changed(store.StatusURI)
	}
}

func (d *dream) tell(e Event, now time.Time, allowed secret.Allowed) {
	e.Time, e.Phase = store.Second(now), d.Phase
	e.Text = cutText(transcript.Visible(allowed.Mask(e.Text)), maxEventText) // shown before it is cut
	for i := range e.Reviewed {
		e.Reviewed[i].First = transcript.Visible(allowed.Mask(e.Reviewed[i].First))
	}
	d.trail.add(e)
}

// lookedFor says what a search looks for.
func lookedFor(q transcript.Query) string {
	if q.Signals != 0 {
		var kinds []string
		for _, kind := range signal.Set(q.Signals).Kinds() {
			kinds = append(kinds, string(kind))
		}
		return "the signal " + strings.Join(kinds, ", ")
	}
	if len(q.Patterns) > 0 {
		return strings.Join(q.Patterns, " | ")
	}
	return q.Pattern
}

// reviewed names the sessions of a map, as far as a trail does.
func (p *dreams) reviewed(sessions []transcript.Session) []Reviewed {
	sessions = sessions[:min(len(sessions), maxReviewed)]
	named := make([]Reviewed, len(sessions))
	for i, s := range sessions {
		named[i] = Reviewed{ID: s.ID, Host: p.OtherHost(s.Host), Last: store.Second(s.Last), First: s.First}
	}
	return named
}

// readTrail reads the trail of dream id, the oldest event first. Lines that can't be read are left out.
func readTrail(folder *os.Root) ([]Event, error) {
	data, err := memory.ReadBounded(folder, trailFile, 2*maxTrail)
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
