package state

import (
	"database/sql"
	"errors"
	"maps"
	"slices"
)

// Share reads into v what ChangeShare noted, and reports whether the memory is shared.
func (db *DB) Share(v any) (shared bool, err error) {
	return db.one("SELECT state FROM share", inJSON{v})
}

// ChangeShare reads into v what is known of the share, and notes what change makes of it. Nobody else changes it meanwhile. If change
// returns nil, nothing is noted.
func (db *DB) ChangeShare(v any, change func(shared bool) any) error {
	return db.update(func(tx *Tx) error {
		err := tx.QueryRow("SELECT state FROM share").Scan(inJSON{v})
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if next := change(err == nil); next != nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO share (one, state) VALUES (1, ?)", inJSON{next})
			return err
		}
		return nil
	})
}

// EndShare notes that the memory is not shared.
func (db *DB) EndShare() error {
	return db.exec("DELETE FROM share")
}

// Machine returns the name of this machine for this memory, or "".
func (db *DB) Machine() (id string, err error) {
	_, err = db.one("SELECT id FROM machine", &id)
	return id, err
}

// SetMachine sets the name of this machine.
func (db *DB) SetMachine(id string) error { return db.set("machine (one, id)", id) }

// DreamHost returns the program that a person last had dream, or "".
func (db *DB) DreamHost() (host string, err error) {
	_, err = db.one("SELECT host FROM dream_host", &host)
	return host, err
}

// SetDreamHost notes the program that a person has dream.
func (db *DB) SetDreamHost(host string) error { return db.set("dream_host (one, host)", host) }

// set sets the only row of a table.
func (db *DB) set(columns string, value any) error {
	return db.exec("INSERT OR REPLACE INTO "+columns+" VALUES (1, ?)", value)
}

// A Copy is what is known of the copy that a project has of a memory of the person.
type Copy struct {
	Text   string // as project and person had it last, without its sources
	Ours   bool   // it was here before it was the person's, and stays
	Except bool   // the person wants this project to go without it
	New    bool   // the other projects do not have it yet
}

// Copies returns the copies by file.
func (db *DB) Copies() (map[string]Copy, error) {
	type row struct {
		file string
		Copy
	}
	rows, err := list(db, func(r *row) []any { return []any{&r.file, &r.Text, &r.Ours, &r.Except, &r.New} }, "SELECT file, text, ours, excepted, new FROM copies")
	copies := make(map[string]Copy, len(rows))
	for _, r := range rows {
		copies[r.file] = r.Copy
	}
	return copies, err
}

// SetCopies replaces the copies.
func (db *DB) SetCopies(copies map[string]Copy) error {
	return db.update(func(tx *Tx) error {
		return replace(tx, "copies", slices.Collect(maps.Keys(copies)), func(file string) []any {
			c := copies[file]
			return []any{file, c.Text, c.Ours, c.Except, c.New}
		}, "INSERT INTO copies (file, text, ours, excepted, new) VALUES (?, ?, ?, ?, ?)")
	})
}
