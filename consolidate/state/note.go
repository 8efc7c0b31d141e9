package state

import (
	"encoding/json"
	"errors"
)

// A Note is a value that is read and written as a whole, as JSON in a row of its own. What grows, or is found by its
// content, has a table. A value that cannot be decoded counts as missing: see DamagedNotes.
type Note[T any] struct {
	Name  string // unique in the database
	Cache bool   // it can be made again: a crash of the system may lose the last value, and no write is synced
}

// decodes reports whether the value of a note can be decoded, by its name.
var decodes = make(map[string]func(value string) bool)

// Known returns n, and has DamagedNotes check it.
func Known[T any](n Note[T]) Note[T] {
	decodes[n.Name] = func(value string) bool {
		_, err := n.decode(value)
		return err == nil
	}
	return n
}

// DamagedNotes returns the names of the notes that cannot be decoded, sorted.
func (db *DB) DamagedNotes() (names []string, err error) {
	err = db.view(func(tx *Tx) error {
		names, err = tx.damagedNotes()
		return err
	})
	return names, err
}

// RemoveDamagedNotes removes the notes that cannot be decoded.
func (db *DB) RemoveDamagedNotes() error {
	return db.update(func(tx *Tx) error {
		names, err := tx.damagedNotes()
		return errors.Join(err, each(tx, names, value, "DELETE FROM notes WHERE name = ?"))
	})
}

func (tx *Tx) damagedNotes() (names []string, err error) {
	type row struct{ name, value string }
	rows, err := all(tx, func(r *row) []any { return []any{&r.name, &r.value} }, "SELECT name, value FROM notes ORDER BY name")
	for _, r := range rows {
		if is := decodes[r.name]; is != nil && !is(r.value) {
			names = append(names, r.name)
		}
	}
	return names, err
}

// Get returns the value; the zero value if there is none.
func (n Note[T]) Get(db *DB) (v T, err error) {
	err = db.view(func(tx *Tx) error {
		v, err = n.read(tx)
		return err
	})
	return v, err
}

// Set replaces the value.
func (n Note[T]) Set(db *DB, v T) error {
	return n.update(db, func(tx *Tx) error { return n.write(tx, v) })
}

// Change calls change with the value, and writes what it made of it unless it returns false. Of several processes one
// does that at a time.
func (n Note[T]) Change(db *DB, change func(*T) bool) (changed bool, err error) {
	err = n.update(db, func(tx *Tx) error {
		v, err := n.read(tx)
		if err != nil {
			return err
		}
		if changed = change(&v); !changed {
			return nil
		}
		return n.write(tx, v)
	})
	return changed && err == nil, err
}

func (n Note[T]) update(db *DB, do func(*Tx) error) error {
	if n.Cache {
		return db.cache(do)
	}
	return db.update(do)
}

func (n Note[T]) read(tx *Tx) (v T, err error) {
	value := ""
	is, err := found(tx.QueryRow("SELECT value FROM notes WHERE name = ?", n.Name).Scan(&value))
	if is {
		v, _ = n.decode(value)
	}
	return v, err
}

// decode returns the zero value if it fails.
func (n Note[T]) decode(value string) (T, error) {
	var v, zero T
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		return zero, err
	}
	return v, nil
}

func (n Note[T]) write(tx *Tx, v T) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO notes (name, value) VALUES (?, ?)", n.Name, inJSON{v})
	return err
}
