package state

import "time"

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
	Files    []string   `json:"files,omitempty"` // of EventRead, and those that EventListed touched
}

// Reviewed is a session that a dream reviews.
type Reviewed struct {
	ID    string    `json:"id"`
	Host  string    `json:"host,omitempty"` // "" for the host of the dream
	Last  time.Time `json:"last"`
	First string    `json:"first,omitempty"` // the first words of the person
}

// maxEvents bounds the events of a dream; far more than one has.
const maxEvents = 5_000

// Add adds an event, unless it equals the one before but for its time, or the dream has too many. A power cut may lose
// it.
func (t Events) Add(e Event) error {
	return t.db.cache(func(tx *Tx) error {
		last, err := tx.events("WHERE dream = ? ORDER BY id DESC LIMIT 1", t.dream)
		if err != nil {
			return err
		}
		for _, l := range last {
			if l.Kind == e.Kind && l.Text == e.Text && l.Hits == e.Hits && l.Phase == e.Phase {
				return nil
			}
		}
		_, err = tx.Exec(`INSERT INTO events (dream, time, phase, kind, text, hits, files, sessions)
			SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE (SELECT count(*) FROM events WHERE dream = ?1) < ?9`,
			t.dream, nanos(e.Time), e.Phase, string(e.Kind), e.Text, e.Hits, inJSON{e.Files}, inJSON{e.Reviewed}, maxEvents)
		return err
	})
}

// All returns the events, the oldest first.
func (t Events) All() (events []Event, err error) {
	err = t.db.view(func(tx *Tx) error {
		events, err = tx.events("WHERE dream = ? ORDER BY id", t.dream)
		return err
	})
	return events, err
}

func (tx *Tx) events(where string, args ...any) ([]Event, error) {
	return all(tx, func(e *Event) []any {
		return []any{(*nanos)(&e.Time), &e.Phase, &e.Kind, &e.Text, &e.Hits, inJSON{&e.Files}, inJSON{&e.Reviewed}}
	}, "SELECT time, phase, kind, text, hits, files, sessions FROM events "+where, args...)
}
