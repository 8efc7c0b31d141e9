package state

import (
	"time"

	"dream-mcp/consolidate/lock"
)

// A Count is the result of a count of the sessions.
type Count struct {
	Time  time.Time
	Since lock.Stamp // the last consolidation
	Found int
}

// Count returns the last count by a hook that found too few; the zero value if there is none.
func (db *DB) Count() (c Count, err error) {
	_, err = db.one("SELECT counted, since IS NOT NULL, since, found FROM counts",
		(*stamp)(&c.Time), &c.Since.Exists, (*stamp)(&c.Since.Time), &c.Found)
	return c, err
}

// SetCount notes a count by a hook.
func (db *DB) SetCount(c Count) error {
	since := stamp{}
	if c.Since.Exists {
		since = stamp(c.Since.Time)
	}
	return db.exec("INSERT OR REPLACE INTO counts (one, counted, since, found) VALUES (1, ?, ?, ?)", stamp(c.Time), since, c.Found)
}
