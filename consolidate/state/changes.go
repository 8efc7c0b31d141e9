package state

import (
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
	Same       bool        // the text says the same, as memory.SaysTheSame
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

const changeColumns = "name, before, before_time, before_mode, after, after_time, after_mode, same, temp"

func (c *Change) columns() []any {
	return []any{(*name)(&c.Name), (*string)(&c.Before), (*nanos)(&c.BeforeTime), &c.BeforeMode,
		(*string)(&c.After), (*nanos)(&c.AfterTime), &c.AfterMode, &c.Same, &c.Temp}
}

// Landed returns the operations that landed since a time and changed something, in that order, with their changes but
// without the rest. With files, it returns only those that changed one of them, with these changes alone.
func (t Operations) Landed(since time.Time, files ...memory.Name) ([]Operation, error) {
	if len(files) == 0 {
		return t.withChanges("operations JOIN changes ON operation = id WHERE state = 'landed' AND operations.landed >= ? ORDER BY operations.landed, id, position", nanos(since))
	}
	args := []any{nanos(since)}
	for _, n := range files {
		args = append(args, n.String())
	}
	return t.withChanges(`changes CROSS JOIN operations ON id = operation
		WHERE changes.landed > 0 AND changes.landed >= ? AND name IN (?`+strings.Repeat(", ?", len(files)-1)+") ORDER BY changes.landed, id, position", args...)
}

// LastLanded returns the last operation that changed each file, with that change alone.
func (t Operations) LastLanded() ([]Operation, error) {
	return t.withChanges(`(WITH RECURSIVE names(file) AS (SELECT min(name) FROM changes
			UNION ALL SELECT (SELECT min(name) FROM changes WHERE name > file) FROM names WHERE file IS NOT NULL)
		SELECT file, (SELECT max(landed) FROM changes WHERE name = file) AS last FROM names)
		CROSS JOIN changes ON name = file AND changes.landed = last CROSS JOIN operations ON id = operation WHERE last > 0`)
}

func (t Operations) withChanges(from string, args ...any) (all []Operation, err error) {
	type row struct {
		Operation
		change Change
	}
	rows, err := list(t.db, func(r *row) []any {
		return append([]any{&r.ID, &r.Kind, &r.Undoes, (*nanos)(&r.Landed)}, r.change.columns()...)
	}, "SELECT id, kind, undoes, operations.landed, "+changeColumns+" FROM "+from, args...)
	for _, r := range rows {
		if last := len(all) - 1; last < 0 || all[last].ID != r.ID {
			all = append(all, r.Operation)
		}
		last := &all[len(all)-1]
		last.Changes = append(last.Changes, r.change)
	}
	return all, err
}
