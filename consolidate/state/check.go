package state

import "fmt"

// Check returns what is wrong with the database, or nil: its structure, texts that do not have their sums, operations that need a
// text that is gone, and entries of the log whose operation is known but has not landed.
func (db *DB) Check() (problems []string) {
	add := func(err error) { problems = append(problems, err.Error()) }
	err := db.view(func(tx *Tx) error {
		found, err := tx.strings("PRAGMA integrity_check(10)")
		if err != nil {
			return err
		}
		for _, f := range found {
			if f != "ok" {
				problems = append(problems, f)
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
		unknown, err := tx.strings("SELECT DISTINCT operation FROM log JOIN operations ON id = operation WHERE outcome = ? AND files > 0 AND state != 'landed'", outcomeLanded)
		for _, id := range unknown {
			add(fmt.Errorf("the log says that %s has landed, and its record does not", id))
		}
		return err
	})
	if err != nil {
		add(db.wrap(err))
	}
	return problems
}
