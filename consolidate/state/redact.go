package state

import (
	"errors"
	"fmt"
	"slices"

	"dream-mcp/memory"
)

// Redact replaces every text by what text makes of it, and the records of the operations and the entries of the log by
// what record and entry make of them, in one transaction. renamed has the new sum of each replaced text by its old one:
// the operations then need the new texts. Redact returns how many rows have changed, by table, and the error of each
// text that is damaged and stays. With dry it only counts. Afterwards nothing of a replaced text is in the database or
// in SQLite's log.
func (db *DB) Redact(text func([]byte) []byte, record func(json []byte, renamed map[memory.Sum]memory.Sum) []byte,
	entry func(json []byte) []byte, dry bool) (changed map[string]int, damaged []error, err error) {
	if db == nil {
		return nil, nil, nil
	}
	changed = make(map[string]int)
	begin := db.update
	if dry {
		begin = db.view
	}
	err = begin(func(tx *Tx) error {
		var renamed map[memory.Sum]memory.Sum
		renamed, damaged, err = tx.redactTexts(text, dry)
		if err != nil {
			return err
		}
		changed["texts"] = len(renamed)
		ofRecord := func(json []byte) []byte { return record(json, renamed) }
		redact := func(table, key, column, where string, redact func([]byte) []byte) {
			if err == nil {
				var n int
				n, err = tx.redact(table, key, column, where, redact, dry)
				changed[table] += n
			}
		}
		redact("operations", "id", "record", "", ofRecord)
		redact("log", "seq", "entry", "", entry)
		for _, c := range textColumns {
			redact(c.table, c.key, c.column, c.where, text)
		}
		return err
	})
	if err == nil && !dry {
		err = db.checkpoint()
	}
	return changed, damaged, err
}

// textColumns are those of the other tables that have texts of memories, or of what a person or a model said. TestReach
// of package forget finds one that is missing.
var textColumns = []struct{ table, key, column, where string }{
	{"stops", "operation", "reason", ""}, {"words", "source", "text", ""}, {"reports", "dream", "report", ""}, {"reports", "dream", "decisions", ""},
	{"events", "id", "text", ""}, {"events", "id", "sessions", ""}, {"notes", "name", "value", " WHERE name IN (" + notesWithText + ")"},
}

// redact replaces a column of a table where a condition holds, and returns how many rows have changed.
func (tx *Tx) redact(table, key, column, where string, redact func([]byte) []byte, dry bool) (changed int, err error) {
	keys, err := tx.strings("SELECT " + key + " FROM " + table + where)
	for _, k := range keys {
		found, err := tx.strings("SELECT "+column+" FROM "+table+" WHERE "+key+" = ?", k)
		if err != nil {
			return 0, err
		}
		for _, text := range found {
			now := string(redact([]byte(text)))
			if now == text {
				continue
			}
			if changed++; dry {
				continue
			}
			if _, err := tx.Exec("UPDATE "+table+" SET "+column+" = ? WHERE "+key+" = ?", now, k); err != nil {
				return 0, err
			}
		}
	}
	return changed, err
}

// redactTexts replaces the texts and their sums, and returns the new sums by the old ones, and the errors of those that
// are damaged.
func (tx *Tx) redactTexts(redact func([]byte) []byte, dry bool) (renamed map[memory.Sum]memory.Sum, damaged []error, err error) {
	sums, err := tx.sums("SELECT sum FROM texts")
	if err != nil {
		return nil, nil, err
	}
	renamed = make(map[memory.Sum]memory.Sum)
	for _, sum := range sums {
		text, err := tx.text(sum)
		if errors.Is(err, ErrDamaged) {
			damaged = append(damaged, err)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		now := redact(text)
		if slices.Equal(now, text) {
			continue
		}
		is := memory.SumOf(now)
		renamed[sum] = is
		if dry {
			continue
		}
		if _, err := tx.addTexts(map[memory.Sum][]byte{is: now}); err != nil {
			return nil, nil, err
		}
		for _, statement := range []string{
			"UPDATE changes SET before = ?2 WHERE before = ?1", "UPDATE changes SET after = ?2 WHERE after = ?1",
			"UPDATE OR REPLACE needs SET sum = ?2 WHERE sum = ?1", "DELETE FROM texts WHERE sum = ?1",
		} {
			if _, err := tx.Exec(statement, string(sum), string(is)); err != nil {
				return nil, nil, err
			}
		}
	}
	return renamed, damaged, nil
}

// checkpoint copies the log of SQLite into the database, and empties it.
func (db *DB) checkpoint() error {
	var busy, frames, copied int
	err := db.sql.QueryRow("PRAGMA wal_checkpoint(truncate)").Scan(&busy, &frames, &copied)
	if err == nil && busy != 0 {
		return fmt.Errorf("%s: %w, so what was forgotten is still in its log", db.path, ErrBusy)
	}
	return db.wrap(err)
}
