package state

import (
	"fmt"
	"strings"
)

// damagedEntry holds for entries of the log that do not say what their row says.
const damagedEntry = `CASE WHEN json_valid(entry) THEN (entry ->> 'id', entry ->> 'kind', entry ->> 'outcome') IS NOT (operation, kind, outcome) ELSE TRUE END`

// Check returns what is wrong with the database, or nil: its structure, texts that do not have their sums, entries of
// the log that are damaged, and those whose operation is known but has not landed.
func (db *DB) Check() (problems []string) {
	add := func(err error) { problems = append(problems, err.Error()) }
	err := db.view(func(tx *Tx) error {
		found, err := tx.strings("PRAGMA integrity_check(10)")
		if err != nil {
			return err
		}
		for _, f := range found {
			for line := range strings.Lines(f) {
				if line = strings.TrimSpace(line); line != "ok" && !strings.HasPrefix(line, "***") {
					problems = append(problems, line)
				}
			}
		}
		sums, err := tx.sums("SELECT sum FROM texts")
		if err != nil {
			return err
		}
		for _, sum := range sums {
			if _, err := tx.text(sum); err != nil {
				add(err)
			}
		}
		damaged, err := tx.strings("SELECT operation FROM log WHERE " + damagedEntry + " OR files != (SELECT count(*) FROM log_files WHERE log_files.seq = log.seq)")
		for _, id := range damaged {
			add(fmt.Errorf("the entry of %s in the log: %w", id, ErrDamaged))
		}
		if err != nil {
			return err
		}
		unknown, err := tx.strings("SELECT DISTINCT operation FROM log JOIN operations ON id = operation WHERE outcome = ? AND files > 0 AND state != 'landed'", Committed)
		for _, id := range unknown {
			add(fmt.Errorf("the log says that %s has landed, and its record does not", id))
		}
		return err
	})
	if err != nil {
		add(err)
	}
	return problems
}
