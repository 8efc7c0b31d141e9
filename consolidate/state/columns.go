package state

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"dream-mcp/memory"
)

// stamp is a time in a column, in UTC and of one length, so that texts sort as times do. NULL is the zero time.
type stamp time.Time

const stampLayout = "2006-01-02T15:04:05.000000000Z"

func (t stamp) Value() (driver.Value, error) {
	if time.Time(t).IsZero() {
		return nil, nil
	}
	return time.Time(t).UTC().Format(stampLayout), nil
}

func (t *stamp) Scan(column any) error {
	*t = stamp{}
	if column == nil {
		return nil
	}
	at, err := time.Parse(stampLayout, fmt.Sprint(column))
	*t = stamp(at)
	return err
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
func all[T any](tx *Tx, columns func(*T) []any, query string, args ...any) (list []T, err error) {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t T
		if err := rows.Scan(columns(&t)...); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// found reports whether a row was found, and returns the other errors.
func found(err error) (bool, error) {
	if err == sql.ErrNoRows {
		return false, nil
	}
	return err == nil, err
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
	return all(tx, func(s *string) []any { return []any{s} }, query, args...)
}

func (tx *Tx) sums(query string, args ...any) ([]memory.Sum, error) {
	found, err := tx.strings(query, args...)
	sums := make([]memory.Sum, len(found))
	for i, s := range found {
		sums[i] = memory.Sum(s)
	}
	return sums, err
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
