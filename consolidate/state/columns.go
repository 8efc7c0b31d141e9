package state

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/memory"
)

// nanos is a time in a column, in nanoseconds since 1970. 0 is the zero time, or one that is not in the years 1678 to
// 2261.
type nanos time.Time

func (t nanos) Value() (driver.Value, error) {
	if year := time.Time(t).UTC().Year(); year < 1678 || year > 2261 {
		return int64(0), nil
	}
	return time.Time(t).UnixNano(), nil
}

func (t *nanos) Scan(column any) error {
	n, is := column.(int64)
	if *t = (nanos{}); is && n != 0 {
		*t = nanos(time.Unix(0, n).UTC())
	}
	return nil
}

// inJSON is a value in a column, as JSON. NULL is the zero value.
type inJSON struct{ v any }

func (j inJSON) Value() (driver.Value, error) {
	data, err := json.Marshal(j.v)
	return string(data), err
}

func (j inJSON) Scan(column any) error {
	if column == nil {
		return nil
	}
	return json.Unmarshal([]byte(fmt.Sprint(column)), j.v)
}

// all returns the rows of a query. columns returns where the columns of a row go.
func all[T any](tx *Tx, columns func(*T) []any, query string, args ...any) ([]T, error) {
	return database.All(columns)(tx.Query(query, args...))
}

// list returns the rows of a query, as all.
func list[T any](db *DB, columns func(*T) []any, query string, args ...any) (rows []T, err error) {
	err = db.view(func(tx *Tx) error {
		rows, err = all(tx, columns, query, args...)
		return err
	})
	return rows, err
}

// each executes a statement for each value.
func each[T any](tx *Tx, values []T, columns func(T) []any, statement string) error {
	for _, v := range values {
		if _, err := tx.Exec(statement, columns(v)...); err != nil {
			return err
		}
	}
	return nil
}

// text is the column of a text.
func text(s *string) []any { return []any{s} }

// value is the column of a value.
func value[T any](v T) []any { return []any{v} }

// exec executes a statement in a transaction of its own.
func (db *DB) exec(statement string, args ...any) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	})
}

// one reads the only row of a query without arguments, if there is one.
func (db *DB) one(query string, columns ...any) error {
	return db.view(func(tx *Tx) error {
		_, err := found(tx.QueryRow(query).Scan(columns...))
		return err
	})
}

// found reports whether a row was found, and returns the other errors.
func found(err error) (bool, error) {
	if err == sql.ErrNoRows {
		return false, nil
	}
	return err == nil, err
}

// ids returns the first column of a query, as strings.
func (db *DB) ids(query string, args ...any) ([]string, error) { return list(db, text, query, args...) }

// strings returns the first column of a query.
func (tx *Tx) strings(query string, args ...any) ([]string, error) {
	return all(tx, text, query, args...)
}

func (tx *Tx) sums(query string, args ...any) ([]memory.Sum, error) {
	return all(tx, func(s *memory.Sum) []any { return []any{(*string)(s)} }, query, args...)
}

// name is the name of a memory in a column.
type name memory.Name

func (n *name) Scan(column any) error {
	parsed, err := memory.ParseName(fmt.Sprint(column))
	if *n = name(parsed); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}
