package state

// Terms are the terms of a file. They are valid while the file has the size and the time.
type Terms struct {
	File     string
	Size     int64
	Modified int64  // in nanoseconds
	Hashes   []byte // sorted, 3 bytes each
}

// Terms returns the terms of all files that are known.
func (db *DB) Terms() (terms []Terms, err error) {
	return list(db, func(t *Terms) []any { return []any{&t.File, &t.Size, &t.Modified, &t.Hashes} }, "SELECT file, size, modified, hashes FROM terms")
}

// SetTerms sets the terms of some files, and removes those of others. A power cut may lose that.
func (db *DB) SetTerms(changed []Terms, gone []string) error {
	return db.cache(func(tx *Tx) error {
		err := each(tx, changed, func(t Terms) []any { return []any{t.File, t.Size, t.Modified, append([]byte{}, t.Hashes...)} },
			"INSERT OR REPLACE INTO terms (file, size, modified, hashes) VALUES (?, ?, ?, ?)")
		if err == nil {
			err = each(tx, gone, value, "DELETE FROM terms WHERE file = ?")
		}
		return err
	})
}
