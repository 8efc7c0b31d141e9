package state

// LogRow is a line of the log. Text is the whole, in JSON.
type LogRow struct {
	Operation, Kind, Outcome, Undoes string
	Files                            []string
	Text                             []byte
	Undone                           bool // by a later operation that is not undone itself

	seq int64
}

// Committed is the outcome of an operation that landed.
const Committed = "committed"

// Add adds an entry to the log.
func (t Log) Add(e LogRow) error {
	return t.db.update(func(tx *Tx) error { return tx.log(e) })
}

func (tx *Tx) log(e LogRow) error {
	res, err := tx.Exec("INSERT INTO log (operation, kind, outcome, undoes, undone, files, entry) VALUES (?, ?, ?, ?, 0, ?, ?)",
		e.Operation, e.Kind, e.Outcome, e.Undoes, len(e.Files), string(e.Text))
	if err != nil {
		return err
	}
	seq, err := res.LastInsertId()
	if err == nil {
		_, err = tx.Exec("INSERT OR IGNORE INTO log_files SELECT value, ? FROM json_each(?)", seq, inJSON{append([]string{}, e.Files...)})
	}
	// What it undoes is undone. If that undid another, the other no longer is, and so on.
	for undone := true; err == nil && e.Outcome == Committed && e.Undoes != ""; undone = !undone {
		if _, err = tx.Exec("UPDATE log SET undone = ? WHERE operation = ?", undone, e.Undoes); err != nil {
			break
		}
		var before []string
		before, err = tx.strings("SELECT undoes FROM log WHERE operation = ? AND outcome = ?", e.Undoes, Committed)
		e.Undoes = append(before, "")[0]
	}
	return err
}

// Landings returns a number that grows with each landing.
func (t Log) Landings() (last int64, err error) {
	err = t.db.one("SELECT coalesce(max(seq), 0) FROM log WHERE files > 0", &last)
	return last, err
}

// A LogQuery limits what Entries returns. Its zero value is the whole log.
type LogQuery struct {
	Kind    string // "": all
	File    string // only those that changed it; "": all
	Changed bool   // only those that changed a file
}

// page is how many entries are read at a time.
const page = 64

// Entries calls yield with the entries of the log, the newest first, until it returns false. The database can be used
// meanwhile.
func (t Log) Entries(q LogQuery, yield func(LogRow) bool) error {
	where, args := "", []any{}
	if q.Kind != "" {
		where += " AND kind = ?"
		args = append(args, q.Kind)
	}
	if q.File != "" {
		where += " AND seq IN (SELECT seq FROM log_files WHERE file = ?)"
		args = append(args, q.File)
	}
	if q.Changed {
		where += " AND files > 0"
	}
	for before := int64(1) << 62; ; {
		entries, err := list(t.db, func(e *LogRow) []any {
			return []any{&e.seq, &e.Operation, &e.Kind, &e.Outcome, &e.Undoes, &e.Undone, &e.Text}
		}, "SELECT seq, operation, kind, outcome, undoes, undone, entry FROM log WHERE seq < ?"+where+" ORDER BY seq DESC LIMIT ?",
			append(append([]any{before}, args...), page)...)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if before = e.seq; !yield(e) {
				return nil
			}
		}
		if len(entries) < page {
			return nil
		}
	}
}

// Undone returns which of some operations are undone.
func (t Log) Undone(ids ...string) (map[string]bool, error) {
	found, err := t.db.ids("SELECT operation FROM log WHERE undone AND operation IN (SELECT value FROM json_each(?))", inJSON{ids})
	undone := make(map[string]bool, len(found))
	for _, id := range found {
		undone[id] = true
	}
	return undone, err
}
