package state

// A Doubt is a finding about a file. It is valid while the file has the sum.
type Doubt struct{ File, Sum, Message string }

// Doubts returns the last doubts, by file.
func (db *DB) Doubts() (map[string]Doubt, error) {
	byFile := make(map[string]Doubt)
	err := db.view(func(tx *Tx) error {
		doubts, err := all(tx, func(d *Doubt) []any { return []any{&d.File, &d.Sum, &d.Message} }, "SELECT file, sum, message FROM doubts")
		for _, d := range doubts {
			byFile[d.File] = d
		}
		return err
	})
	return byFile, err
}

// SetDoubts replaces the doubts; of one file the first counts.
func (db *DB) SetDoubts(doubts []Doubt) error {
	return db.cache(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM doubts")
		for _, d := range doubts {
			if err == nil {
				_, err = tx.Exec("INSERT OR IGNORE INTO doubts (file, sum, message) VALUES (?, ?, ?)", d.File, d.Sum, d.Message)
			}
		}
		return err
	})
}
