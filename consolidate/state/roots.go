package state

// Roots returns the roots that the sessions of the project had, the oldest first.
func (db *DB) Roots() ([]string, error) { return db.ids("SELECT path FROM roots ORDER BY id") }

// AddRoots adds roots, and keeps the newest most. A power cut may lose that.
func (db *DB) AddRoots(paths []string, most int) error {
	return db.cache(func(tx *Tx) error {
		err := each(tx, paths, value, "INSERT OR IGNORE INTO roots (path) VALUES (?)")
		if err == nil {
			_, err = tx.Exec("DELETE FROM roots WHERE id NOT IN (SELECT id FROM roots ORDER BY id DESC LIMIT ?)", most)
		}
		return err
	})
}
