package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Recover recovers from a crash. It is cheap if there was none, and creates no file. A lock that is held is not an error.
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
	if s.open != nil {
		return nil
	}
	if r, err := lock.Read(dir.Root()); err == nil && r.Dream == "" {
		return nil
	}
	l, err := s.lockAndRecover(ctx, dir, 0)
	if _, held := err.(*lock.BusyError); held { // not one that the recovery failed with
		return nil
	}
	if err != nil {
		return err
	}
	return l.Release()
}

// Complete completes an interrupted landing, so that the files on disk are the memory. It waits for a process that is landing.
// It does nothing if the record of the landing is lost, which doctor reports.
func (s *Store) Complete() error {
	dir, err := s.Disk()
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	return s.complete(dir)
}

func (s *Store) complete(dir *memory.Dir) error {
	if dir == nil || s.open != nil {
		return nil
	}
	r, err := lock.Read(dir.Root())
	if err == nil && !r.Committing {
		return nil
	}
	if _, err := os.Stat(s.Records.StateDir()); err != nil {
		return nil // lost; opening it would create it
	}
	if err != nil && s.Records.guess().Dream == "" {
		return nil
	}
	defer func(look bool) { s.LookOnly = look }(s.LookOnly)
	s.LookOnly = false // the notes of the landing are written too
	l, err := s.lockAndRecover(context.Background(), dir, Wait)
	if _, lost := errors.AsType[*BrokenError](err); lost {
		return nil
	}
	if err != nil {
		return fmt.Errorf("a commit (%s) was interrupted and must be completed before the memory is read: %w", r, err)
	}
	return l.Release()
}

// lockAndRecover takes the lock and recovers from a crash.
func (s *Store) lockAndRecover(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock.Lock, error) {
	l, err := lock.Take(ctx, dir, wait)
	if errors.Is(err, lock.ErrHeld) {
		r, _ := lock.Read(dir.Root())
		return nil, r.Busy()
	}
	if err != nil {
		return nil, err
	}
	if err := s.recover(l, dir); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// recover ends the operation that the lock file names: it completes a commit that has begun, and rolls back anything else.
// It fails with a *BrokenError if the plan of the commit cannot be read; then nothing may be written.
func (s *Store) recover(l *lock.Lock, dir *memory.Dir) error {
	r, err := l.Read()
	if err != nil {
		r = s.Records.guess()
	} else if r.Dream == "" {
		return nil
	}
	s.Step("recover")
	if r.Dream == "" {
		return l.Clear()
	}
	t, err := s.reopen(l, dir, r)
	if err == nil {
		defer t.Release()
		err = t.Stage.recover(r.Committing)
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
	case t.Stage.State == Landed:
		outcome = Committed
	case t.Request != nil && t.Outcome == Rejected:
		outcome = Rejected
	case t.Request != nil:
		outcome = Proposed // it continues to wait
	}
	return t.conclude(outcome, "process "+r.String()+" died")
}

// guess finds the open operation if the lock file cannot be read, after a torn write: its record says that it is landing.
func (s *Records) guess() lock.Record {
	ids, _ := s.IDs()
	for _, id := range slices.Backward(ids) {
		if o, err := s.Op(id); err == nil && o.State == Landing {
			return lock.Record{Dream: id, Kind: o.Kind, Stage: s.recordPath(id), Committing: true}
		}
	}
	return lock.Record{}
}

// reopen opens the operation of a dead process. A record that names a file outside our state folder is refused. If the
// operation has no record, it had not prepared its landing, and its temporaries are only new texts.
func (s *Store) reopen(l *lock.Lock, dir *memory.Dir, r lock.Record) (*Tx, error) {
	if err := s.Records.checkOurs(r); err != nil {
		return nil, err
	}
	info, err := s.Records.Op(r.Dream)
	if errors.Is(err, fs.ErrNotExist) && r.Kind != lock.KindDream && !r.Committing {
		temps, tempErr := atomicfile.Temporaries(dir)
		for _, temp := range temps {
			if strings.Contains(temp, r.Dream) {
				dir.Root().Remove(temp)
			}
		}
		info, err = Op{Header: Header{ID: r.Dream, Kind: r.Kind, Started: r.Started}, LastCall: r.Started}, tempErr
	}
	if err != nil {
		return nil, err
	}
	info.State = cmp.Or(info.State, Staged)
	t, err := s.newTx(dir, info)
	if err != nil {
		return nil, err
	}
	t.lock, t.record = l, r
	return t, nil
}

func (s *Records) checkOurs(r lock.Record) error {
	if !ValidID(r.Dream) || r.Stage != s.recordPath(r.Dream) {
		return fmt.Errorf("its record %s is not in our state folder %s", r.Stage, s.StateDir())
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
	o, err := s.Op(r.Dream)
	if err != nil || o.State != Landing {
		return err
	}
	for _, c := range o.Changes {
		if _, err := s.Content(c.After); err != nil {
			return err
		}
	}
	return nil
}
