package state

import "dream-mcp/consolidate/listed"

// Listed returns what the listings of dreams showed, the oldest first.
func (db *DB) Listed() (dreams []listed.Marks, err error) {
	return list(db, func(m *listed.Marks) []any {
		return []any{&m.Dream, (*stamp)(&m.From), (*stamp)(&m.Taken), inJSON{&m.Shown}}
	}, "SELECT dream, from_time, taken, shown FROM listed ORDER BY id")
}

// SetListed replaces what Listed returns.
func (db *DB) SetListed(dreams []listed.Marks) error {
	return db.update(func(tx *Tx) error {
		return replace(tx, "listed", dreams, func(m listed.Marks) []any {
			return []any{m.Dream, stamp(m.From), stamp(m.Taken), inJSON{m.Shown}}
		}, "INSERT INTO listed (dream, from_time, taken, shown) VALUES (?, ?, ?, ?)")
	})
}
