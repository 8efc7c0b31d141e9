package state

import (
	"fmt"
	"io/fs"
	"time"

	"dream-mcp/memory"
)

// Operation is an operation as the database keeps it. Record is the whole of it but for its changes, in JSON. The other
// fields repeat what queries need.
type Operation struct {
	ID       string
	Kind     string
	Undoes   string // the operation that it undoes, or ""
	State    string
	Waits    bool // for the person's answer
	LastCall time.Time
	Landed   time.Time
	OnlyCopy bool  // it deleted or displaced a file
	Bytes    int64 // of the texts that it added
	Record   []byte
	Changes  []Change
	Needs    []memory.Sum
}

// The states of an operation, as queries and migrations have them.
const (
	Staged  = "staged"  // the memory is unchanged
	Landing = "landing" // everything that can fail is done; each change has landed or not
	Landed  = "landed"
)

// Change returns the change of n.
func (o *Operation) Change(n memory.Name) (Change, bool) {
	for _, c := range o.Changes {
		if c.Name == n {
			return c, true
		}
	}
	return Change{}, false
}

// Save makes an operation durable in place of what it was, with texts, an entry in the log if it is not nil, and rest,
// another operation, if it is not nil. It adds the number of bytes of texts that were not there to o.Bytes.
func (t Operations) Save(o *Operation, texts map[memory.Sum][]byte, entry *LogRow, rest *Operation) error {
	bytes := o.Bytes
	return t.db.update(func(tx *Tx) error {
		added, err := tx.addTexts(texts)
		if err != nil {
			return err
		}
		o.Bytes = bytes + added
		if rest != nil { // first: o may need its texts no longer
			if err := tx.save(rest); err != nil {
				return err
			}
		}
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
			o.ID, o.Kind, o.Undoes, o.State, o.Waits, nanos(o.LastCall), nanos(o.Landed), o.OnlyCopy, o.Bytes, string(o.Record))
	}
	var landed time.Time
	if o.State == Landed {
		landed = o.Landed
	}
	if err == nil {
		_, err = tx.Exec("DELETE FROM changes WHERE operation = ?", o.ID)
	}
	for i, c := range o.Changes {
		if err == nil {
			_, err = tx.Exec("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", o.ID, i, c.Name.String(),
				string(c.Before), nanos(c.BeforeTime), int64(c.BeforeMode), string(c.After), nanos(c.AfterTime), int64(c.AfterMode), c.Same, c.Temp, nanos(landed))
		}
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT OR IGNORE INTO needs SELECT ?, value FROM json_each(?) WHERE value != ''", o.ID, inJSON{o.Needs})
	if err == nil {
		err = tx.release("operation = ? AND sum NOT IN (SELECT value FROM json_each(?))", o.ID, inJSON{append([]memory.Sum{}, o.Needs...)})
	}
	return err
}

// release removes needs, and the texts that nothing needs any more.
func (tx *Tx) release(needs string, args ...any) error {
	sums, err := tx.sums("DELETE FROM needs WHERE "+needs+" RETURNING sum", args...)
	if err == nil {
		_, err = tx.Exec("DELETE FROM texts WHERE sum IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM needs WHERE needs.sum = texts.sum)", inJSON{sums})
	}
	return err
}

// Discard removes operations, and their texts that no other needs. An unknown one is ignored.
func (t Operations) Discard(ids ...string) error {
	return t.db.update(func(tx *Tx) error { return tx.discard(ids) })
}

func (tx *Tx) discard(ids []string) error {
	const these = " IN (SELECT value FROM json_each(?))"
	err := tx.release("operation"+these, inJSON{ids})
	for _, table := range []string{"operations WHERE id", "changes WHERE operation", "stops WHERE operation", "events WHERE dream"} {
		if err == nil {
			_, err = tx.Exec("DELETE FROM "+table+these, inJSON{ids})
		}
	}
	return err
}

// Get returns an operation. It fails with fs.ErrNotExist if there is none.
func (t Operations) Get(id string) (o Operation, err error) {
	if t.db == nil {
		return o, fs.ErrNotExist
	}
	err = t.db.view(func(tx *Tx) error {
		o, err = tx.operation(id)
		return err
	})
	return o, err
}

func (tx *Tx) operation(id string) (Operation, error) {
	o := Operation{ID: id}
	is, err := found(tx.QueryRow("SELECT kind, undoes, state, waits, last_call, landed, only_copy, bytes, record FROM operations WHERE id = ?", id).
		Scan(&o.Kind, &o.Undoes, &o.State, &o.Waits, (*nanos)(&o.LastCall), (*nanos)(&o.Landed), &o.OnlyCopy, &o.Bytes, &o.Record))
	if err == nil && !is {
		err = fmt.Errorf("operation %s: %w", id, fs.ErrNotExist)
	}
	if err == nil {
		o.Changes, err = all(tx, (*Change).columns, "SELECT "+changeColumns+" FROM changes WHERE operation = ? ORDER BY position", id)
	}
	return o, err
}

// Landing returns the ID of the operation that is landing, or "".
func (t Operations) Landing() (string, error) {
	ids, err := t.db.ids("SELECT id FROM operations WHERE state = 'landing'")
	return append(ids, "")[0], err
}

// IDs returns the IDs of all operations, the oldest first.
func (t Operations) IDs() ([]string, error) { return t.db.ids("SELECT id FROM operations ORDER BY id") }

// Beginning returns the IDs that begin with a text, the oldest first.
func (t Operations) Beginning(with string) ([]string, error) {
	return t.db.ids("SELECT id FROM operations WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id", with)
}

// Staged returns the IDs of the operations that wait for the person or not, and have not begun to land, the newest
// first.
func (t Operations) Staged(waits bool) ([]string, error) {
	return t.db.ids("SELECT id FROM operations WHERE state = 'staged' AND waits = ? ORDER BY id DESC", waits)
}
