package state

import "time"

// Shown are the memories that a session was shown at an event.
type Shown struct {
	Time    time.Time `json:"time"`
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session"`
	Event   string    `json:"event"`
	Files   []string  `json:"files,omitempty"`
}

const shownColumns = "SELECT time, host, session, event, files FROM shown "

func (s *Shown) columns() []any {
	return []any{(*stamp)(&s.Time), &s.Host, &s.Session, &s.Event, inJSON{&s.Files}}
}

// AddShown adds s, at the time of the transaction, unless choose returns false. choose gets what its session was shown before, the
// oldest first, and may change s. AddShown keeps the newest most. A power cut may lose it.
func (db *DB) AddShown(s *Shown, most int, choose func(before []Shown) bool) error {
	return db.cache(func(tx *Tx) error {
		before, err := all(tx, (*Shown).columns, shownColumns+"WHERE session = ? AND (host IN (?, '') OR ? = '') ORDER BY id", s.Session, s.Host, s.Host)
		if err != nil || !choose(before) {
			return err
		}
		added, err := tx.Exec("INSERT INTO shown (time, host, session, event, files) VALUES (?, ?, ?, ?, ?)", stamp(tx.now), s.Host, s.Session, s.Event, inJSON{s.Files})
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

// AnyShown reports whether anything is kept.
func (db *DB) AnyShown() (any bool, err error) {
	err = db.one("SELECT EXISTS (SELECT 1 FROM shown)", &any)
	return any, err
}

// Shown returns all that is kept, the oldest first.
func (db *DB) Shown() (shown []Shown, err error) {
	return list(db, (*Shown).columns, shownColumns+"ORDER BY id")
}
