package state

import "time"

// What a pause is of.
const (
	Offers   = "offer"  // hooks that offer a dream
	Launches = "launch" // hooks and supervisors that start one
)

// A Pause is the time until which something is not tried again.
type Pause struct {
	After    time.Time // by hooks
	Retry    time.Time // by a supervisor, after a failure
	Failures int       // in a row
	Why      string
}

// Pause returns a pause; the zero value if there is none.
func (db *DB) Pause(what string) (p Pause, err error) {
	err = db.view(func(tx *Tx) error {
		p, err = tx.pause(what)
		return err
	})
	return p, err
}

// ChangePause calls change with a pause, and writes what it made of it unless it returns false. Of several processes one does that
// at a time.
func (db *DB) ChangePause(what string, change func(*Pause) bool) (changed bool, err error) {
	err = db.update(func(tx *Tx) error {
		p, err := tx.pause(what)
		if err != nil {
			return err
		}
		if changed = change(&p); !changed {
			return nil
		}
		_, err = tx.Exec("INSERT OR REPLACE INTO pauses (what, after, retry, failures, why) VALUES (?, ?, ?, ?, ?)", what, stamp(p.After), stamp(p.Retry), p.Failures, p.Why)
		return err
	})
	return changed && err == nil, err
}

// EndPause removes a pause.
func (db *DB) EndPause(what string) error {
	return db.exec("DELETE FROM pauses WHERE what = ?", what)
}

func (tx *Tx) pause(what string) (p Pause, err error) {
	_, err = found(tx.QueryRow("SELECT after, retry, failures, why FROM pauses WHERE what = ?", what).
		Scan((*stamp)(&p.After), (*stamp)(&p.Retry), &p.Failures, &p.Why))
	return p, err
}

// A Run is a background dream, and the process of its supervisor.
type Run struct {
	ID      string
	Started time.Time
	PID     int
}

// Run returns the run that was begun and not ended. Its ID is "" if there is none.
func (db *DB) Run() (r Run, err error) {
	_, err = db.one("SELECT id, started, pid FROM runs", &r.ID, (*stamp)(&r.Started), &r.PID)
	return r, err
}

// BeginRun notes that r runs.
func (db *DB) BeginRun(r Run) error {
	return db.exec("INSERT INTO runs (id, started, pid) VALUES (?, ?, ?)", r.ID, stamp(r.Started), r.PID)
}

// EndRun notes that no dream runs.
func (db *DB) EndRun() error {
	return db.exec("DELETE FROM runs")
}
