package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Tx is a transaction on the memory. It holds the file lock until it ends. It must not be copied: its Stage changes its
// Op.
type Tx struct {
	Op
	Dir    *memory.Dir
	Stage  *Stage
	Needed []Waiver // the waivers without which the last check would have refused
	Rest   *Op      // the rest of a proposal, which waits as another one when t is committed, or nil

	s      *Store
	lock   *lock.Lock
	record lock.Record
}

// Current returns the dream that this process has open, or nil.
func (s *Store) Current() *Tx {
	s.mustBeLocked()
	return s.open
}

// SetOpen makes t the open dream of this process, until it ends.
func (s *Store) SetOpen(t *Tx) {
	s.mustBeLocked()
	s.open = t
}

// Begin takes the lock, recovers from a crash, and begins the operation that check returns. It fails with a
// *lock.BusyError if our lock or Claude Code's is held.
func (s *Store) Begin(ctx context.Context, check func(*memory.Dir) (Op, error)) (*Tx, error) {
	if t := s.Current(); t != nil {
		return nil, t.Busy()
	}
	dir, err := s.makeDir()
	if err != nil {
		return nil, err
	}
	l, err := s.lockAndRecover(ctx, dir, Wait)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	var t *Tx
	info, err := check(dir)
	if err == nil {
		err = lock.HostFree(dir.Root(), s.Now())
	}
	if err == nil {
		t, err = s.beginUnder(l, dir, info)
	}
	if err != nil {
		return nil, errors.Join(err, l.Release(), dir.Close())
	}
	return t, nil
}

// New returns the Op of an operation of this process that begins now.
func (s *Store) New(kind lock.Kind) Op {
	now := s.Now()
	return Op{Header: Header{ID: NewID(now), Kind: kind, Host: s.Host, Session: s.Session, Started: now}, LastCall: now}
}

// beginUnder opens an operation under l, and writes its record into the lock file. A new write, undo or sync writes
// nothing more until its landing is prepared; a dream is saved at once.
func (s *Store) beginUnder(l *lock.Lock, dir *memory.Dir, info Op) (*Tx, error) {
	t, err := s.openTx(dir, info)
	if err != nil {
		return nil, err
	}
	t.lock = l
	t.Stage.late = !info.Resumed && info.Kind != lock.KindDream
	if !t.Stage.late {
		err = t.Stage.db.Operations().ResetStop(t.ID) // it stopped the earlier run
		if err == nil {
			err = t.Save()
		}
	}
	if err == nil {
		err = t.claim()
	}
	if err != nil {
		if !info.Resumed {
			err = errors.Join(err, s.Records.Discard(info.ID))
		}
		return nil, err
	}
	return t, nil
}

// openTx opens the stage of an operation, which may be new. It writes nothing.
func (s *Store) openTx(dir *memory.Dir, info Op) (*Tx, error) {
	if info.State != "" && info.State != state.Staged {
		return nil, fmt.Errorf("its changes are %s, not staged", info.State)
	}
	t, err := s.newTx(dir, info)
	if err == nil {
		t.unplan() // if a landing was prepared, it was interrupted before it began
	}
	return t, err
}

func (s *Store) newTx(dir *memory.Dir, info Op) (*Tx, error) {
	s.mustBeLocked()
	db := s.Records.DB()
	if err := db.Err(); err != nil {
		return nil, err
	}
	t := &Tx{Op: info, Dir: dir, s: s}
	t.Stage = &Stage{Op: &t.Op, dir: dir, db: db}
	return t, nil
}

// claim writes the record into the lock file and, for a dream, takes Claude Code's lock. The record, with which
// recovery restores that lock, is on disk before the lock is taken.
func (t *Tx) claim() error {
	prior, err := lock.ReadHost(t.Dir.Root())
	if err != nil {
		return err
	}
	t.record = lock.NewRecord(t.ID, t.Kind, t.Started, prior.Stamp, t.s.Records.Path())
	t.s.Step("record")
	if err := t.lock.Write(t.record); err != nil {
		return err
	}
	if t.Kind != lock.KindDream {
		return nil // it is synced before the landing begins
	}
	if err := t.lock.Sync(); err != nil {
		return err
	}
	t.s.Step("host")
	err = lock.ErrHeld // if it was taken after HostFree
	if !prior.Held(t.LastCall) {
		err = lock.TakeHost(t.Dir, prior, t.LastCall)
	}
	if err != nil {
		if errors.Is(err, lock.ErrHeld) {
			err = &lock.BusyError{Host: true, Holder: "Claude Code has just begun a dream"}
		}
		if back := t.stamp(Aborted); back != nil {
			return errors.Join(err, back) // the record stays, and recovery ends it
		}
		return errors.Join(err, t.lock.Clear())
	}
	t.s.Step("claimed")
	return nil
}

// Prior is the time of the last consolidation before t.
func (t *Tx) Prior() lock.Stamp { return t.record.Prior }

// Busy returns the error of an operation that must wait for t.
func (t *Tx) Busy() error { return t.record.Busy() }

// Renew renews Claude Code's lock. It fails with lock.ErrTaken if another process has taken it over.
func (t *Tx) Renew() error { return lock.RenewHost(t.Dir, t.record.PID, t.LastCall) }

// Save writes the record of t, with credentials masked, and the texts that are not in the database yet.
func (t *Tx) Save() error { return t.Stage.store(nil) }

// Staged returns the names of the files that t changes.
func (t *Tx) Staged() []string { return namesOf(t.Changes) }

func namesOf(changes []state.Change) []string {
	files := make([]string, len(changes))
	for i, c := range changes {
		files[i] = c.Name.String()
	}
	slices.Sort(files)
	return files
}

// LogBegun logs that t has begun.
func (t *Tx) LogBegun() error { return t.s.Records.Append(t.Entry(Fired, t.Started)) }

// Notes returns the state folder, for notes.
func (t *Tx) Notes() *Records { return t.s.Records }

// Look opens the stage of an operation of which this process holds no lock. It cannot land.
func (s *Store) Look(dir *memory.Dir, info Op) (*Tx, error) { return s.openTx(dir, info) }
