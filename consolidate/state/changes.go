package state

import (
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"dream-mcp/memory"
)

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
