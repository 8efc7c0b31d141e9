package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Recover ends what a crash left. Like Complete, it waits for a landing process. Any other holder of the lock is not an
// error. It is cheap if there is nothing to do, and creates no file.
func (s *Store) Recover(ctx context.Context) error {
	dir, err := s.Disk()
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	return s.RecoverIn(ctx, dir)
}

// RecoverIn is Recover on an open directory.
func (s *Store) RecoverIn(ctx context.Context, dir *memory.Dir) error {
	if s.Current() != nil {
		return nil
	}
	if r, err := lock.Read(dir.Root()); err == nil && r.ID == "" {
		return nil
	}
	l, err := s.lockAndRecover(ctx, dir, 0)
	if _, held := err.(*lock.BusyError); held { // not one that the recovery failed with
		return s.completeIn(ctx, dir)
	}
	if err != nil {
		return err
	}
	return l.Release()
}

// Complete completes an interrupted landing, so that the files on disk are the memory. It waits for a process that is
// landing until ctx ends, at most Wait, and then fails. If it waited in vain, later calls of this process fail at once
// until that landing has ended. Complete does nothing if the record of the landing is lost, which doctor reports.
func (s *Store) Complete(ctx context.Context) error {
	dir, err := s.Dir(ctx)
	if err != nil {
		return err
	}
	return dir.Close()
}

func (s *Store) completeIn(ctx context.Context, dir *memory.Dir) error {
	if dir == nil || s.Current() != nil {
		return nil
	}
	r, err := lock.Read(dir.Root())
	if err == nil && r.ID == "" {
		return nil
	}
	if _, err := os.Stat(s.Records.Path()); err != nil {
		return nil // lost; opening it would create it
	}
	if err != nil || !r.Committing { // it is not marked yet, or the mark is torn
		landing, lost := s.Records.landing()
		if lost != nil || landing.ID == "" || err == nil && landing.ID != r.ID {
			if r.Dead() && !s.LookOnly { // if what it left cannot be ended, the memory can be read all the same
				if l, err := s.lockAndRecover(ctx, dir, 0); err == nil {
					l.Release()
				}
			}
			return nil
		}
		r.ID = landing.ID
	}
	wait := Wait
	if s.stuck == r.ID {
		wait = 0
	}
	s.Step("complete")
	l, err := s.lockAndRecover(ctx, dir, wait)
	if _, lost := errors.AsType[*BrokenError](err); lost {
		return nil
	}
	if _, busy := errors.AsType[*lock.BusyError](err); busy {
		if now, readErr := lock.Read(dir.Root()); readErr == nil && now.ID != r.ID {
			return nil // it has landed meanwhile, and the next operation has begun
		}
		s.stuck = r.ID
		return fmt.Errorf("the memory cannot be read before a commit has ended, and its process does not end it: %w", err)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("the memory cannot be read before a commit (%s) has ended: %w", r, err)
	}
	if err != nil {
		return fmt.Errorf("a commit (%s) was interrupted and must be completed before the memory is read: %w", r, err)
	}
	return l.Release()
}

// take takes the lock. It creates the database before the lock file: see Records.Begun.
func (s *Store) take(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock.Lock, error) {
	if !s.Records.Begun() {
		s.Records.DB()
	}
	return lock.Take(ctx, dir, wait)
}

// lockAndRecover takes the lock and recovers from a crash.
func (s *Store) lockAndRecover(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock.Lock, error) {
	l, err := s.take(ctx, dir, wait)
	if errors.Is(err, lock.ErrHeld) {
		r, _ := lock.Read(dir.Root())
		return nil, r.Busy()
	}
	if err != nil {
		return nil, err
	}
	if err := s.recoverUnder(l, dir); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// recoverUnder ends what a crash left: the operation that is landing according to the database, and the one that the
// lock file names. It completes a commit that has begun, and rolls back anything else. It fails with a *BrokenError if
// the plan of the commit cannot be read; then nothing may be written.
func (s *Store) recoverUnder(l *lock.Lock, dir *memory.Dir) error {
	r, readErr := l.Read()
	landing, err := lock.Record{}, error(nil)
	if _, statErr := os.Stat(s.Records.Path()); statErr == nil {
		landing, err = s.Records.landing()
	}
	if err != nil && r.Committing {
		return &BrokenError{Holder: r.String(), Why: err}
	}
	if err != nil {
		return err
	}
	if landing.ID != "" && landing.ID != r.ID { // the lock file was torn, or emptied by somebody who does not see our database
		if err := s.end(l, dir, landing); err != nil {
			return err
		}
	}
	if readErr != nil {
		s.Step("recover")
		return l.Clear()
	}
	if r.ID == "" {
		return nil
	}
	return s.end(l, dir, r)
}

// end ends the operation of r, whose process exited.
func (s *Store) end(l *lock.Lock, dir *memory.Dir, r lock.Record) error {
	s.Step("recover")
	died := fmt.Sprintf("%s: process %d exited", Interrupted, r.PID)
	t, err := s.reopen(l, dir, r)
	if err == nil {
		r.Kind, t.record.Kind = t.Kind, t.Kind
		if t.State == state.Landing {
			t.Reason = died
		}
		err = t.Stage.recover()
	}
	if err != nil && r.Committing {
		return &BrokenError{Holder: r.String(), Why: err}
	}
	if err != nil { // nothing has landed: only restore the time
		t = &Tx{Dir: dir, s: s, record: r}
		t.Kind = r.Kind
		if err := t.stamp(Crashed); err != nil {
			return err
		}
		return l.Clear()
	}
	outcome := Crashed
	switch {
	case t.State == state.Landed:
		outcome = Committed
	case t.Request != nil && t.Outcome == Rejected:
		outcome = Rejected
	case t.Request != nil:
		outcome = Proposed // it continues to wait
	}
	return t.conclude(outcome, died)
}

// landing returns what the lock file is to say of the operation that is landing according to the database. If there is
// none, it is the zero Record.
func (s *Records) landing() (lock.Record, error) {
	db := s.Look()
	id, err := db.Operations().Landing()
	if id == "" || err != nil {
		return lock.Record{}, err
	}
	return lock.Record{ID: id, Database: s.Path(), Committing: true}, nil
}

// Remains returns what is known of an operation whose process died: the record in the lock file, which is committing if
// the database says so, or that of the operation that is landing according to the database. If there is none, it is the
// zero Record. The caller knows that nobody holds the lock.
func (s *Store) Remains(dir *memory.Dir) (lock.Record, error) {
	r, err := lock.Read(dir.Root())
	if _, statErr := os.Stat(s.Records.Path()); statErr != nil {
		return r, err
	}
	switch landing, _ := s.Records.landing(); landing.ID { // if the database is damaged, nothing is known of it
	case "":
		return r, err
	case r.ID:
		r.Committing = true // it died before the mark
		return r, nil
	default:
		return landing, nil // it is ended before what the lock file names
	}
}

// reopen opens the operation of a dead process. A record that names a file outside our state folder is refused. If the
// operation has no record, it had not prepared its landing, and its temporaries are only new texts.
func (s *Store) reopen(l *lock.Lock, dir *memory.Dir, r lock.Record) (*Tx, error) {
	if err := s.Records.checkOurs(r); err != nil {
		return nil, err
	}
	info, err := s.Records.Op(r.ID)
	if err == nil && r.Kind != "" && info.Kind != r.Kind {
		err = fmt.Errorf("its record is of a %s", info.Kind)
	}
	if errors.Is(err, fs.ErrNotExist) && r.Kind != lock.KindDream && !r.Committing {
		info, err = Op{Header: Header{ID: r.ID, Kind: r.Kind, Started: r.Started}, LastCall: r.Started}, nil
	}
	if err != nil {
		return nil, err
	}
	info.State = cmp.Or(info.State, state.Staged)
	t, err := s.newTx(dir, info)
	if err != nil {
		return nil, err
	}
	t.lock, t.record = l, r
	return t, nil
}

func (s *Records) checkOurs(r lock.Record) error {
	if !ValidID(r.ID) || r.Database != s.Path() {
		return fmt.Errorf("its record is in %s, not in our database %s", r.Database, s.Path())
	}
	return nil
}

// LostPlan returns why a landing that has begun cannot be completed, or nil.
func (s *Records) LostPlan(r lock.Record) error {
	if !r.Committing {
		return nil
	}
	if err := s.checkOurs(r); err != nil {
		return err
	}
	o, err := s.Op(r.ID)
	if err != nil || o.State != state.Landing {
		return err
	}
	for _, c := range o.Changes {
		if _, err := s.Content(c.After); err != nil {
			return err
		}
	}
	return nil
}
