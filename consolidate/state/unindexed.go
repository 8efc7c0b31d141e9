package state

// Unindexed returns the memories that have no line because the index was full, in the order in which they are to get one.
func (db *DB) Unindexed() ([]string, error) {
	return db.ids("SELECT file FROM unindexed ORDER BY place")
}

// SetUnindexed replaces what Unindexed returns.
func (db *DB) SetUnindexed(files []string) error {
	return db.update(func(tx *Tx) error {
		return replace(tx, "unindexed", files, value, "INSERT OR IGNORE INTO unindexed (file) VALUES (?)")
	})
}
