package state

import "time"

// A Report is a report on an unattended dream that the person has not seen.
type Report struct {
	Dream     string
	Outcome   string
	Report    string
	Decisions string // masked; has reasons in a model's words, which must not be shown to another model
}

// QueueReport queues a report, in place of an earlier one on the same dream, and keeps the newest most.
func (db *DB) QueueReport(r Report, most int) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO reports (dream, outcome, report, decisions) VALUES (?, ?, ?, ?)", r.Dream, r.Outcome, r.Report, r.Decisions)
		if err == nil {
			_, err = tx.Exec("DELETE FROM reports WHERE rowid NOT IN (SELECT rowid FROM reports ORDER BY rowid DESC LIMIT ?)", most)
		}
		return err
	})
}

// Reports returns whether a report waits.
func (db *DB) Reports() (wait bool, err error) {
	err = db.one("SELECT EXISTS (SELECT 1 FROM reports)", &wait)
	return wait, err
}

// TakeReports returns the reports that no other process has taken within a time, the oldest first. The caller calls EndReports.
func (db *DB) TakeReports(within time.Duration) (taken []Report, err error) {
	err = db.update(func(tx *Tx) error {
		const free = " WHERE taken IS NULL OR taken <= ? OR taken > ?" // the last by a wrong clock
		before, now := stamp(tx.now.Add(-within)), stamp(tx.now)
		taken, err = all(tx, func(r *Report) []any { return []any{&r.Dream, &r.Outcome, &r.Report, &r.Decisions} },
			"SELECT dream, outcome, report, decisions FROM reports"+free+" ORDER BY rowid", before, now)
		if err == nil && len(taken) > 0 {
			_, err = tx.Exec("UPDATE reports SET taken = ?"+free, now, before, now)
		}
		return err
	})
	return taken, err
}

// EndReports removes reports that were taken, or with delivered false gives them back.
func (db *DB) EndReports(taken []Report, delivered bool) error {
	statement := "UPDATE reports SET taken = NULL WHERE dream = ?"
	if delivered {
		statement = "DELETE FROM reports WHERE taken IS NOT NULL AND dream = ?"
	}
	return db.update(func(tx *Tx) error { return each(tx, taken, func(r Report) []any { return []any{r.Dream} }, statement) })
}
