package state

// A Note is a value that is read and written as a whole, as JSON in a row of its own. What grows, or is found by its content, has a
// table.
type Note[T any] struct {
	Name  string // unique in the database
	Cache bool   // it can be made again: a crash of the system may lose the last value, and no write is synced
}

// Get returns the value; the zero value if there is none.
func (n Note[T]) Get(db *DB) (v T, err error) {
	err = db.view(func(tx *Tx) error {
		v, err = n.read(tx)
		return err
	})
	return v, err
}

// Set replaces the value, which may be damaged.
func (n Note[T]) Set(db *DB, v T) error {
	return n.update(db, func(tx *Tx) error { return n.write(tx, v) })
}

// Change calls change with the value, and writes what it made of it unless it returns false. Of several processes one does that at a
// time.
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
	_, err = found(tx.QueryRow("SELECT value FROM notes WHERE name = ?", n.Name).Scan(inJSON{&v}))
	return v, err
}

func (n Note[T]) write(tx *Tx, v T) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO notes (name, value) VALUES (?, ?)", n.Name, inJSON{v})
	return err
}
