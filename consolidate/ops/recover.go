package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
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
	l, err := s.take(ctx, dir, 0)
	var busy *lock.BusyError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.Release()
}

// take takes the lock and recovers from a crash.
func (s *Store) take(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock.Lock, error) {
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
		r = s.guess()
	} else if r.Dream == "" {
		return nil
	}
	s.Step("recover")
	if r.Dream == "" {
		return l.Clear()
	}
	t := &Tx{Dir: dir, s: s, lock: l, record: r}
	t.Folder, t.Op, err = s.openLeft(r)
	if err == nil {
		defer t.Folder.Close()
		var a *Archive
		a, err = Recover(dir, t.Folder, r.Committing)
		t.Stage = &Stage{Archive: a}
	}
	if err != nil && r.Committing {
		return &BrokenError{Holder: r.String(), Why: err}
	}
	if err != nil { // nothing has landed: only restore the time
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

// guess finds the open operation if the record cannot be read, after a torn write: its manifest says that it is landing.
func (s *Records) guess() lock.Record {
	ids, _ := s.IDs()
	for _, id := range slices.Backward(ids) {
		a, err := s.openArchive(id)
		if err != nil {
			continue
		}
		begun := a.State == Landing
		a.Close()
		if info, err := s.Op(id); begun && err == nil {
			return lock.Record{Dream: id, Kind: info.Kind, Stage: s.FolderOf(id), Committing: true}
		}
	}
	return lock.Record{}
}

// openLeft opens the folder of the operation of a dead process. A record that names a folder outside our state folder is
// refused.
func (s *Records) openLeft(r lock.Record) (*os.Root, Op, error) {
	info := Op{Header: Header{ID: r.Dream, Kind: r.Kind, Started: r.Started}, LastCall: r.Started} // enough to recover
	if !ValidID(r.Dream) || r.Stage != s.FolderOf(r.Dream) {
		return nil, info, fmt.Errorf("its folder %s is not in our state folder %s", r.Stage, s.StateDir())
	}
	folder, err := s.OpenFolder(r.Dream)
	if err != nil {
		return nil, info, err
	}
	if read, err := s.Op(r.Dream); err == nil {
		info = read
	}
	return folder, info, nil
}

// LostPlan returns why a commit that has begun cannot be completed, or nil.
func (s *Records) LostPlan(r lock.Record) error {
	if !r.Committing {
		return nil
	}
	folder, _, err := s.openLeft(r)
	if err != nil {
		return err
	}
	a, err := OpenArchive(folder)
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	defer a.Close()
	if a.State != Landing {
		return nil
	}
	for _, c := range a.Changes {
		if _, err := a.Content(c.After); err != nil {
			return err
		}
	}
	return nil
}
