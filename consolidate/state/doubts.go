package state

// A Doubt is a finding about a file. It is valid while the file has the sum.
type Doubt struct{ File, Sum, Message string }

// Doubts returns the last doubts, by file.
func (db *DB) Doubts() (map[string]Doubt, error) {
	doubts, err := list(db, func(d *Doubt) []any { return []any{&d.File, &d.Sum, &d.Message} }, "SELECT file, sum, message FROM doubts")
	byFile := make(map[string]Doubt, len(doubts))
	for _, d := range doubts {
		byFile[d.File] = d
	}
	return byFile, err
}

// SetDoubts replaces the doubts; of one file the first counts.
func (db *DB) SetDoubts(doubts []Doubt) error {
	return db.cache(func(tx *Tx) error {
		return replace(tx, "doubts", doubts, func(d Doubt) []any { return []any{d.File, d.Sum, d.Message} },
			"INSERT OR IGNORE INTO doubts (file, sum, message) VALUES (?, ?, ?)")
	})
}
