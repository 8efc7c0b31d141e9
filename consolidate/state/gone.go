package state

import "time"

// Gone returns when this database was created in the place of one that was gone; the zero time if it was not, or if NoteGone was called.
func (db *DB) Gone() (at time.Time, err error) {
	_, err = db.one("SELECT at FROM gone", (*stamp)(&at))
	return at, err
}

// NoteGone notes that the person knows what Gone returns.
func (db *DB) NoteGone() error { return db.exec("DELETE FROM gone") }
