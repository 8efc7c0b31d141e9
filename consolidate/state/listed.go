package state

import "dream-mcp/consolidate/listed"

// Listed returns what the listings of dreams showed, the oldest first.
func (db *DB) Listed() (dreams []listed.Marks, err error) {
	err = db.view(func(tx *Tx) error {
		dreams, err = all(tx, func(m *listed.Marks) []any {
			return []any{&m.Dream, (*stamp)(&m.From), (*stamp)(&m.Since), inJSON{&m.Shown}}
		}, "SELECT dream, since_time, shown_at, shown FROM listed ORDER BY id")
		return err
	})
	return dreams, err
}

// SetListed replaces what Listed returns.
func (db *DB) SetListed(dreams []listed.Marks) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM listed")
		for _, m := range dreams {
			if err == nil {
				_, err = tx.Exec("INSERT INTO listed (dream, since_time, shown_at, shown) VALUES (?, ?, ?, ?)", m.Dream, stamp(m.From), stamp(m.Since), inJSON{m.Shown})
			}
		}
		return err
	})
}
