package state

import "fmt"

// Redact replaces the texts in all tables but texts by what redact makes of them, and returns how many rows it changed, by table.
// Afterwards no file of the database has a byte of them. With dry it only counts. After a crash it can be called again.
func (db *DB) Redact(redact func(string) string, dry bool) (changed map[string]int, err error) {
	if db == nil {
		return nil, nil
	}
	run := db.update
	if dry {
		run = db.view
	}
	err = run(func(tx *Tx) error {
		changed, err = tx.redact(redact, dry)
		return err
	})
	if err == nil && !dry {
		err = db.erase()
	}
	return changed, err
}

func (tx *Tx) redact(redact func(string) string, dry bool) (map[string]int, error) {
	type column struct{ table, name string }
	columns, err := all(tx, func(c *column) []any { return []any{&c.table, &c.name} },
		"SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name <> 'texts' AND c.type = 'TEXT'")
	changed := make(map[string]int)
	for _, c := range columns {
		type row struct {
			id   int64
			text string
		}
		var rows []row
		if err == nil {
			rows, err = all(tx, func(r *row) []any { return []any{&r.id, &r.text} }, fmt.Sprintf("SELECT rowid, %s FROM %s WHERE %[1]s IS NOT NULL", c.name, c.table))
		}
		for _, r := range rows {
			text := redact(r.text)
			if text == r.text {
				continue
			}
			changed[c.table]++
			if err == nil && !dry {
				_, err = tx.Exec(fmt.Sprintf("UPDATE OR REPLACE %s SET %s = ? WHERE rowid = ?", c.table, c.name), text, r.id)
			}
		}
	}
	return changed, err
}

// erase overwrites what was deleted: the database does that by itself, and its log is emptied.
func (db *DB) erase() error {
	var busy, frames, moved int
	err := db.sql.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if err == nil && busy != 0 {
		return fmt.Errorf("%s: %w, so what was forgotten is still in its log", db.path, ErrBusy)
	}
	return db.wrap(err)
}
