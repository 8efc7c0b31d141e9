package state

import "time"

// A Report is a report on an unattended dream that the person has not seen.
type Report struct {
	Dream     string
	Outcome   string
	Report    string
	Decisions string // masked; has reasons in a model's words, which must not be shown to another model
}

// Queue queues a report, in place of an earlier one on the same dream, and keeps the newest most.
func (t Reports) Queue(r Report, most int) error {
	return t.db.update(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO reports (dream, outcome, report, decisions) VALUES (?, ?, ?, ?)", r.Dream, r.Outcome, r.Report, r.Decisions)
		if err == nil {
			_, err = tx.Exec("DELETE FROM reports WHERE rowid NOT IN (SELECT rowid FROM reports ORDER BY rowid DESC LIMIT ?)", most)
		}
		return err
	})
}

// Waiting reports whether a report waits.
func (t Reports) Waiting() (wait bool, err error) {
	err = t.db.one("SELECT EXISTS (SELECT 1 FROM reports)", &wait)
	return wait, err
}

// Take returns the reports that no other process has taken within a time, the oldest first. The caller calls End.
func (t Reports) Take(within time.Duration) (taken []Report, err error) {
	err = t.db.update(func(tx *Tx) error {
		const free = " WHERE taken <= ? OR taken > ?" // the last by a wrong clock
		before, now := nanos(tx.now.Add(-within)), nanos(tx.now)
		taken, err = all(tx, func(r *Report) []any { return []any{&r.Dream, &r.Outcome, &r.Report, &r.Decisions} },
			"SELECT dream, outcome, report, decisions FROM reports"+free+" ORDER BY rowid", before, now)
		if err == nil && len(taken) > 0 {
			_, err = tx.Exec("UPDATE reports SET taken = ?"+free, now, before, now)
		}
		return err
	})
	return taken, err
}

// End removes reports that were taken, or with delivered false gives them back.
func (t Reports) End(taken []Report, delivered bool) error {
	statement := "UPDATE reports SET taken = 0 WHERE dream = ?"
	if delivered {
		statement = "DELETE FROM reports WHERE taken > 0 AND dream = ?"
	}
	return t.db.update(func(tx *Tx) error { return each(tx, taken, func(r Report) []any { return []any{r.Dream} }, statement) })
}
