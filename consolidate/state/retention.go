package state

import "time"

// Retention says what Prune keeps. An operation that landed is kept if it is among the newest, or young enough. Above
// MaxBytes the oldest go, but never the newest operation, the newest dream, or what may be the only copy of something
// deleted lately.
type Retention struct {
	Newest    int           // dreams; and as many other operations
	For       time.Duration // since it landed
	Deletions time.Duration // since a deletion landed
	Stages    time.Duration // since the last call of an operation that did not land, unless it displaced files
	Proposals time.Duration // the same of one that waits for the person
	MaxBytes  int64
}

const newestLanded = "SELECT id FROM operations WHERE state = 'landed' AND (kind = 'dream') = ? ORDER BY landed DESC, id DESC LIMIT ?"

// Prune removes the operations that r does not keep at a time. It returns the number of bytes of those that landed and
// are left.
func (t Operations) Prune(r Retention, now time.Time) (left int64, err error) {
	before := func(age time.Duration) int64 { return now.Add(-age).UnixNano() }
	err = t.db.update(func(tx *Tx) error {
		gone, err := tx.strings(`SELECT id FROM operations
			WHERE state = 'staged' AND NOT only_copy AND last_call < CASE WHEN waits THEN ? ELSE ? END`, before(r.Proposals), before(r.Stages))
		if err != nil {
			return err
		}
		old, err := tx.strings("SELECT id FROM operations WHERE state = 'landed' AND landed <= ? AND id NOT IN ("+newestLanded+") AND id NOT IN ("+newestLanded+")",
			before(r.For), true, r.Newest, false, r.Newest)
		if err == nil {
			err = tx.discard(append(gone, old...))
		}
		if err != nil {
			return err
		}
		use, err := tx.use()
		left = use.Bytes
		if err != nil || left <= r.MaxBytes {
			return err
		}
		oldest, err := all(tx, func(o *Operation) []any { return []any{&o.ID, &o.Bytes} }, `SELECT id, bytes FROM operations
			WHERE state = 'landed' AND NOT (only_copy AND landed > ?) AND id NOT IN (`+newestLanded+`)
			AND id != (SELECT id FROM operations WHERE state = 'landed' ORDER BY landed DESC, id DESC LIMIT 1) ORDER BY landed, id`,
			before(r.Deletions), true, 1)
		for _, o := range oldest {
			if err == nil && left > r.MaxBytes {
				left -= o.Bytes
				err = tx.discard([]string{o.ID})
			}
		}
		return err
	})
	return left, err
}

// Use is how much the operations that have landed are.
type Use struct {
	Dreams, Others int
	Bytes          int64
}

// Use returns how much the operations that have landed are.
func (t Operations) Use() (u Use, err error) {
	err = t.db.view(func(tx *Tx) error {
		u, err = tx.use()
		return err
	})
	return u, err
}

func (tx *Tx) use() (u Use, err error) {
	return u, tx.QueryRow("SELECT sum(operations) FILTER (WHERE dream), sum(operations) FILTER (WHERE NOT dream), sum(bytes) FROM archive").
		Scan(&u.Dreams, &u.Others, &u.Bytes)
}

// Last returns the newest ID that is less than a text, "" if there is none.
func (t Operations) Last(before string) (string, error) {
	ids, err := t.db.ids("SELECT id FROM operations WHERE id < ? ORDER BY id DESC LIMIT 1", before)
	return append(ids, "")[0], err
}
