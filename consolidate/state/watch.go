package state

import "fmt"

// Changes returns a text that is another one after a change of the database by anybody.
func (db *DB) Changes() (changes string, err error) {
	err = db.view(func(tx *Tx) error {
		var theirs, ours int
		err := tx.QueryRow("SELECT data_version, total_changes() FROM pragma_data_version").Scan(&theirs, &ours)
		changes = fmt.Sprint(theirs, " ", ours)
		return err
	})
	return changes, err
}
