package state

// Unindexed returns the memories that have no line because the index was full, in the order in which they are to get one.
func (db *DB) Unindexed() (files []string, err error) {
	err = db.view(func(tx *Tx) error {
		files, err = all(tx, func(file *string) []any { return []any{file} }, "SELECT file FROM unindexed ORDER BY place")
		return err
	})
	return files, err
}

// SetUnindexed replaces what Unindexed returns.
func (db *DB) SetUnindexed(files []string) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM unindexed")
		for _, file := range files {
			if err == nil {
				_, err = tx.Exec("INSERT OR IGNORE INTO unindexed (file) VALUES (?)", file)
			}
		}
		return err
	})
}
