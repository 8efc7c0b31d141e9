package state

// Share reads into v what SetShare noted, and reports whether the memory is shared.
func (db *DB) Share(v any) (shared bool, err error) {
	err = db.one("SELECT state FROM share", &shared, inJSON{v})
	return shared, err
}

// SetShare notes what is known of the share.
func (db *DB) SetShare(v any) error { return db.set("share (one, state)", inJSON{v}) }

// EndShare notes that the memory is not shared.
func (db *DB) EndShare() error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM share")
		return err
	})
}

// Machine returns the name of this machine for this memory, or "".
func (db *DB) Machine() (id string, err error) {
	err = db.one("SELECT id FROM machine", new(bool), &id)
	return id, err
}

// SetMachine sets the name of this machine.
func (db *DB) SetMachine(id string) error { return db.set("machine (one, id)", id) }

// DreamHost returns the program that a person last had dream, or "".
func (db *DB) DreamHost() (host string, err error) {
	err = db.one("SELECT host FROM dream_host", new(bool), &host)
	return host, err
}

// SetDreamHost notes the program that a person has dream.
func (db *DB) SetDreamHost(host string) error { return db.set("dream_host (one, host)", host) }

// one reads the only row of a table, if there is one.
func (db *DB) one(query string, is *bool, to any) error {
	return db.view(func(tx *Tx) (err error) {
		*is, err = found(tx.QueryRow(query).Scan(to))
		return err
	})
}

// set sets the only row of a table.
func (db *DB) set(columns string, value any) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO "+columns+" VALUES (1, ?)", value)
		return err
	})
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
	copies := make(map[string]Copy)
	err := db.view(func(tx *Tx) error {
		rows, err := all(tx, func(r *row) []any { return []any{&r.file, &r.Text, &r.Ours, &r.Except, &r.New} }, "SELECT file, text, ours, excepted, new FROM copies")
		for _, r := range rows {
			copies[r.file] = r.Copy
		}
		return err
	})
	return copies, err
}

// SetCopies replaces the copies.
func (db *DB) SetCopies(copies map[string]Copy) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM copies")
		for file, c := range copies {
			if err == nil {
				_, err = tx.Exec("INSERT INTO copies (file, text, ours, excepted, new) VALUES (?, ?, ?, ?, ?)", file, c.Text, c.Ours, c.Except, c.New)
			}
		}
		return err
	})
}
