package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
)

// Operation is what all operations share. Record is the rest, in JSON.
type Operation struct {
	ID       string
	Kind     string
	Undoes   string // the operation that it undoes, or ""
	State    string // "staged", "landing" or "landed"
	Waits    bool   // for the person's answer
	LastCall time.Time
	Landed   time.Time
	OnlyCopy bool  // it deleted or displaced a file
	Bytes    int64 // of the texts that it added
	Record   []byte
	Changes  []Change
	Needs    []memory.Sum
}

// Change returns the change of n.
func (o *Operation) Change(n memory.Name) (Change, bool) {
	for _, c := range o.Changes {
		if c.Name == n {
			return c, true
		}
	}
	return Change{}, false
}

// Change is one file of an operation: what it held and what it will hold. The sum "" means no file.
type Change struct {
	Name       memory.Name
	Before     memory.Sum
	BeforeTime time.Time
	BeforeMode fs.FileMode
	After      memory.Sum
	AfterTime  time.Time   // zero until it is planned
	AfterMode  fs.FileMode // of a file that comes back; 0: 0600
	Same       bool        // the text says the same, as memory.Topic.SaysTheSame
	Temp       string      // while it lands: the new text before, what it displaced after
}

// Action names what c does: "created", "updated" or "deleted".
func (c Change) Action() string {
	switch {
	case c.Before == "":
		return "created"
	case c.After == "":
		return "deleted"
	}
	return "updated"
}

// Save makes an operation durable in place of what it was, with texts, and an entry in the log if it is not nil. It adds
// the number of bytes of texts that were not there to o.Bytes.
func (db *DB) Save(o *Operation, texts map[memory.Sum][]byte, entry *Entry) error {
	bytes := o.Bytes
	return db.update(func(tx *Tx) error {
		added, err := tx.addTexts(texts)
		if err != nil {
			return err
		}
		o.Bytes = bytes + added
		if err := tx.save(o); err != nil || entry == nil {
			return err
		}
		return tx.log(*entry)
	})
}

func (tx *Tx) save(o *Operation) error {
	_, err := tx.Exec("DELETE FROM operations WHERE id = ?", o.ID)
	if err == nil {
		_, err = tx.Exec(`INSERT INTO operations (id, kind, undoes, state, waits, last_call, landed, only_copy, bytes, record)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			o.ID, o.Kind, o.Undoes, o.State, o.Waits, nano(o.LastCall), nano(o.Landed), o.OnlyCopy, o.Bytes, string(o.Record))
	}
	landed := int64(0)
	if o.State == "landed" {
		landed = nano(o.Landed)
	}
	if err == nil {
		_, err = tx.Exec("DELETE FROM changes WHERE operation = ?", o.ID)
	}
	for i, c := range o.Changes {
		if err == nil {
			_, err = tx.Exec("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", o.ID, i, c.Name.String(),
				string(c.Before), nano(c.BeforeTime), int64(c.BeforeMode), string(c.After), nano(c.AfterTime), int64(c.AfterMode), c.Same, c.Temp, landed)
		}
	}
	if err != nil {
		return err
	}
	had, err := tx.sums("SELECT sum FROM needs WHERE operation = ?", o.ID)
	for _, sum := range o.Needs {
		if err == nil && sum != "" && !slices.Contains(had, sum) {
			_, err = tx.Exec("INSERT OR IGNORE INTO needs VALUES (?, ?)", o.ID, string(sum))
		}
	}
	for _, sum := range had {
		if err == nil && !slices.Contains(o.Needs, sum) {
			err = tx.release(o.ID, sum)
		}
	}
	return err
}

// release removes a text that an operation no longer needs, if no other does.
func (tx *Tx) release(id string, sum memory.Sum) error {
	_, err := tx.Exec("DELETE FROM needs WHERE operation = ? AND sum = ?", id, string(sum))
	if err == nil {
		_, err = tx.Exec("DELETE FROM texts WHERE sum = ?1 AND NOT EXISTS (SELECT 1 FROM needs WHERE sum = ?1)", string(sum))
	}
	return err
}

// Discard removes operations, and their texts that no other needs. An unknown one is ignored.
func (db *DB) Discard(ids ...string) error {
	return db.update(func(tx *Tx) error { return tx.discard(ids) })
}

func (tx *Tx) discard(ids []string) error {
	for _, id := range ids {
		sums, err := tx.sums("SELECT sum FROM needs WHERE operation = ?", id)
		for _, sum := range sums {
			if err == nil {
				err = tx.release(id, sum)
			}
		}
		for _, table := range []string{"operations WHERE id", "changes WHERE operation", "stops WHERE operation", "events WHERE dream"} {
			if err == nil {
				_, err = tx.Exec("DELETE FROM "+table+" = ?", id)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Operation returns an operation. It fails with fs.ErrNotExist if there is none.
func (db *DB) Operation(id string) (o Operation, err error) {
	if db == nil {
		return o, fs.ErrNotExist
	}
	err = db.view(func(tx *Tx) error {
		o, err = tx.operation(id)
		return err
	})
	return o, err
}

func (tx *Tx) operation(id string) (Operation, error) {
	o := Operation{ID: id}
	var lastCall, landed int64
	var record string
	err := tx.QueryRow("SELECT kind, undoes, state, waits, last_call, landed, only_copy, bytes, record FROM operations WHERE id = ?", id).
		Scan(&o.Kind, &o.Undoes, &o.State, &o.Waits, &lastCall, &landed, &o.OnlyCopy, &o.Bytes, &record)
	if errors.Is(err, sql.ErrNoRows) {
		return o, fmt.Errorf("operation %s: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return o, err
	}
	o.LastCall, o.Landed, o.Record = fromNano(lastCall), fromNano(landed), []byte(record)
	rows, err := tx.Query(`SELECT name, before, before_time, before_mode, after, after_time, after_mode, same, temp
		FROM changes WHERE operation = ? ORDER BY position`, id)
	if err != nil {
		return o, err
	}
	defer rows.Close()
	for rows.Next() {
		c, err := scanChange(rows)
		if err != nil {
			return o, err
		}
		o.Changes = append(o.Changes, c)
	}
	return o, rows.Err()
}

// scanChange scans a row that begins with what is given, and ends with a change.
func scanChange(rows *sql.Rows, before ...any) (c Change, err error) {
	var name string
	var beforeTime, beforeMode, afterTime, afterMode int64
	err = rows.Scan(append(before, &name, (*string)(&c.Before), &beforeTime, &beforeMode, (*string)(&c.After), &afterTime, &afterMode, &c.Same, &c.Temp)...)
	if err != nil {
		return c, err
	}
	c.BeforeTime, c.BeforeMode = fromNano(beforeTime), fs.FileMode(beforeMode)
	c.AfterTime, c.AfterMode = fromNano(afterTime), fs.FileMode(afterMode)
	if name == "" {
		return c, nil // of an operation without changes
	}
	if c.Name, err = memory.ParseName(name); err != nil {
		return c, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return c, nil
}

// Landing returns the ID of the operation that is landing, or "".
func (db *DB) Landing() (string, error) {
	ids, err := db.ids("SELECT id FROM operations WHERE state = 'landing'")
	return append(ids, "")[0], err
}

// IDs returns the IDs of all operations, the oldest first.
func (db *DB) IDs() ([]string, error) { return db.ids("SELECT id FROM operations ORDER BY id") }

// Beginning returns the IDs that begin with a text, the oldest first.
func (db *DB) Beginning(with string) ([]string, error) {
	return db.ids("SELECT id FROM operations WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id", with)
}

// Staged returns the IDs of the operations that wait for the person or not, and have not begun to land, the newest first.
func (db *DB) Staged(waits bool) ([]string, error) {
	return db.ids("SELECT id FROM operations WHERE state = 'staged' AND waits = ? ORDER BY id DESC", waits)
}

// Landed returns the operations that landed since a time, in that order, with their changes but without the rest. With files, it
// returns only those that changed one of them, with these changes alone.
func (db *DB) Landed(since time.Time, files ...memory.Name) (all []Operation, err error) {
	if len(files) == 0 {
		return db.landed("operations LEFT JOIN changes ON operation = id WHERE state = 'landed' AND operations.landed >= ? ORDER BY operations.landed, id, position", nano(since))
	}
	args := []any{max(nano(since), 1)}
	for _, n := range files {
		args = append(args, n.String())
	}
	return db.landed(`changes CROSS JOIN operations ON id = operation
		WHERE changes.landed >= ? AND name IN (?`+strings.Repeat(", ?", len(files)-1)+") ORDER BY changes.landed, id, position", args...)
}

// LastLanded returns the last operation that changed each file, with that change alone.
func (db *DB) LastLanded() ([]Operation, error) {
	return db.landed(`(WITH RECURSIVE names(file) AS (SELECT min(name) FROM changes
			UNION ALL SELECT (SELECT min(name) FROM changes WHERE name > file) FROM names WHERE file IS NOT NULL)
		SELECT file, (SELECT max(landed) FROM changes WHERE name = file) AS last FROM names)
		CROSS JOIN changes ON name = file AND changes.landed = last CROSS JOIN operations ON id = operation WHERE last > 0`)
}

func (db *DB) landed(from string, args ...any) (all []Operation, err error) {
	err = db.view(func(tx *Tx) error {
		rows, err := tx.Query(`SELECT id, kind, undoes, operations.landed, coalesce(name, ''), coalesce(before, ''), coalesce(before_time, 0),
			coalesce(before_mode, 0), coalesce(after, ''), coalesce(after_time, 0), coalesce(after_mode, 0), coalesce(same, 0), coalesce(temp, '') FROM `+from, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var o Operation
			var at int64
			c, err := scanChange(rows, &o.ID, &o.Kind, &o.Undoes, &at)
			if err != nil {
				return err
			}
			if last := len(all) - 1; last < 0 || all[last].ID != o.ID {
				o.Landed = fromNano(at)
				all = append(all, o)
			}
			if last := &all[len(all)-1]; c != (Change{}) {
				last.Changes = append(last.Changes, c)
			}
		}
		return rows.Err()
	})
	return all, err
}

func (db *DB) ids(query string, args ...any) (ids []string, err error) {
	err = db.view(func(tx *Tx) error {
		ids, err = tx.strings(query, args...)
		return err
	})
	return ids, err
}

// strings returns the first column of a query.
func (tx *Tx) strings(query string, args ...any) ([]string, error) {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, rows.Err()
}

func (tx *Tx) sums(query string, args ...any) ([]memory.Sum, error) {
	found, err := tx.strings(query, args...)
	sums := make([]memory.Sum, len(found))
	for i, s := range found {
		sums[i] = memory.Sum(s)
	}
	return sums, err
}

// Stop asks a dream to stop.
func (db *DB) Stop(id, reason string) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO stops VALUES (?, ?)", id, reason)
		return err
	})
}

// StopAsked reports whether a dream was asked to stop, and why.
func (db *DB) StopAsked(id string) (reason string, asked bool) {
	found, err := db.ids("SELECT reason FROM stops WHERE operation = ?", id)
	return append(found, "")[0], err == nil && len(found) > 0
}

// ResetStop forgets that a dream was asked to stop.
func (db *DB) ResetStop(id string) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM stops WHERE operation = ?", id)
		return err
	})
}

// nano returns t in nanoseconds since 1970; 0 for the zero time.
func nano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
