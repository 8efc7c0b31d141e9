package state

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// derived are the tables whose rows follow from others.
var derived = map[string]bool{"archive": true, "log_files": true}

// Salvage puts a new database in the place of a damaged one, which is set aside. The new one has the rows that can
// still be read. An operation that lost a change or a text is left out: it could not be undone whole. Nothing else may
// use the database meanwhile. After a crash in the middle the damaged one or the new one is in its place, and the
// folder of what is set aside has the rest.
func Salvage(folder string, now time.Time) error {
	root, err := memory.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	aside, err := makeAside(folder, now)
	if err != nil {
		return err
	}
	if err := salvageInto(aside, folder); err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	// SQLite would take the log of the damaged one for that of the new one.
	if err := moveAside(folder, aside, besides); err != nil {
		return err
	}
	name := filepath.Base(aside)
	if err := errors.Join(atomicfile.SyncFolder(root, name), atomicfile.SyncFolder(root, ".")); err != nil {
		return err
	}
	if err := atomicfile.Move(root, path.Join(name, File), File); err != nil {
		return err
	}
	return errors.Join(atomicfile.SyncFolder(root, name), atomicfile.SyncFolder(root, "."))
}

// salvageInto creates a database in the folder made, of what can be read of that in a folder.
func salvageInto(made, folder string) error {
	old, err := Open(folder, Options{LookOnly: true})
	if err != nil {
		return err
	}
	fresh, err := Open(made, Options{})
	if err == nil {
		err = errors.Join(fresh.update(func(tx *Tx) error { return tx.salvage(old.sql) }), fresh.Close())
	}
	return errors.Join(err, old.Close())
}

// salvage copies what can be read of a damaged database.
func (tx *Tx) salvage(old *sql.DB) error {
	tables, err := tx.strings("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		return err
	}
	whole := true // no change of an operation is lost
	for _, table := range tables {
		if derived[table] {
			continue
		}
		lost, err := tx.copy(old, table)
		if err != nil {
			return err
		}
		whole = whole && (table != "changes" || !lost)
	}
	sums, err := tx.sums("SELECT sum FROM texts")
	for _, sum := range sums {
		if _, damaged := tx.text(sum); err == nil && damaged != nil {
			_, err = tx.Exec("DELETE FROM texts WHERE sum = ?", string(sum))
		}
	}
	for _, statement := range []string{
		"DELETE FROM log WHERE " + damagedEntry,
		"INSERT OR IGNORE INTO log_files SELECT value, seq FROM log, json_each(entry, '$.files')",
	} {
		if err == nil {
			_, err = tx.Exec(statement)
		}
	}
	if err != nil {
		return err
	}
	gone, err := tx.strings(`SELECT id FROM operations WHERE EXISTS (SELECT 1 FROM changes WHERE operation = id AND
			(before NOT IN (SELECT '' UNION ALL SELECT sum FROM texts) OR after NOT IN (SELECT '' UNION ALL SELECT sum FROM texts)))
		OR CASE state WHEN 'landed' THEN (SELECT count(*) FROM changes WHERE operation = id) IS NOT
			(SELECT files FROM log WHERE operation = id AND outcome = ? ORDER BY seq DESC LIMIT 1) ELSE NOT ? END`, Committed, whole)
	if err == nil {
		err = tx.discard(gone)
	}
	return err
}

// copy copies the rows of a table, from both ends up to what cannot be read. It reports whether rows were lost.
func (tx *Tx) copy(old *sql.DB, table string) (lost bool, err error) {
	key, err := tx.strings("SELECT name FROM pragma_table_info(?) WHERE pk > 0 AND (SELECT wr FROM pragma_table_list(?)) ORDER BY pk", table, table)
	if err != nil {
		return false, err
	}
	if key == nil {
		key = []string{"rowid"}
	}
	for _, order := range []string{"", " DESC"} {
		rows, err := old.Query("SELECT * FROM " + table + " ORDER BY " + strings.Join(key, order+", ") + order)
		if err != nil {
			lost = true
			continue
		}
		columns, err := rows.Columns()
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		for err == nil && rows.Next() {
			if err = rows.Scan(into...); err == nil {
				_, err = tx.Exec("INSERT OR IGNORE INTO "+table+" VALUES (?"+strings.Repeat(", ?", len(row)-1)+")", row...)
			}
		}
		damaged := rows.Err()
		rows.Close()
		switch {
		case err != nil:
			return false, fmt.Errorf("%s: %w", table, err)
		case damaged == nil:
			return lost, nil
		}
		lost = true
	}
	return lost, nil
}
