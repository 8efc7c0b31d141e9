package state

import "time"

// A Push are the memories that a session was shown at an event.
type Push struct {
	Time    time.Time `json:"time"`
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session"`
	Event   string    `json:"event"` // a level of package recall, or its Forgot or Read
	Files   []string  `json:"files,omitempty"`
}

const pushColumns = "SELECT time, host, session, event, files FROM shown "

func (p *Push) columns() []any {
	return []any{(*nanos)(&p.Time), &p.Host, &p.Session, &p.Event, inJSON{&p.Files}}
}

// Add adds p, at the time of the transaction, unless choose returns false. choose gets what its session was shown
// before, the oldest first, and may change p. Add keeps the newest most. A power cut may lose it.
func (t Pushes) Add(p *Push, most int, choose func(before []Push) bool) error {
	return t.db.cache(func(tx *Tx) error {
		before, err := all(tx, (*Push).columns, pushColumns+"WHERE session = ? AND (host IN (?, '') OR ? = '') ORDER BY id", p.Session, p.Host, p.Host)
		if err != nil || !choose(before) {
			return err
		}
		added, err := tx.Exec("INSERT INTO shown (time, host, session, event, files) VALUES (?, ?, ?, ?, ?)", nanos(tx.now), p.Host, p.Session, p.Event, inJSON{p.Files})
		if err != nil {
			return err
		}
		id, err := added.LastInsertId()
		if err == nil {
			_, err = tx.Exec("DELETE FROM shown WHERE id <= ?", id-int64(most))
		}
		return err
	})
}

// Any reports whether anything is kept.
func (t Pushes) Any() (any bool, err error) {
	err = t.db.one("SELECT EXISTS (SELECT 1 FROM shown)", &any)
	return any, err
}

// All returns all that is kept, the oldest first.
func (t Pushes) All() (pushes []Push, err error) {
	return list(t.db, (*Push).columns, pushColumns+"ORDER BY id")
}
