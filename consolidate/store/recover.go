package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// Recover ends what a crash left, if anything. It is cheap where nothing was left, and creates no
// file. A lock that is held is not an error: its holder is at work.
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

// take takes the lock, and ends what a crash left.
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

// recover ends the operation in the lock file, which is now ours: a begun commit lands, all else is rolled back. It fails with a
// *BrokenError where a commit has begun whose plan cannot be read: then nothing may be written.
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
	t := &Tx{Info: Info{Kind: r.Kind}, Dir: dir, s: s, lock: l, record: r}
	t.Folder, t.Info, err = s.openLeft(r)
	if err == nil {
		defer t.Folder.Close()
		var a *landing.Archive
		a, err = landing.Recover(dir, t.Folder, r.Committing)
		t.Stage = &landing.Stage{Archive: a}
	}
	if err != nil && r.Committing {
		return &BrokenError{Holder: r.String(), Why: err}
	}
	if err != nil { // Nothing has landed; all that is left to do is to give the time back.
		t.Kind = r.Kind
		if err := t.stamp(Crashed); err != nil {
			return err
		}
		return l.Clear()
	}
	outcome := Crashed
	switch {
	case t.Stage.State == landing.Landed:
		outcome = Committed
	case t.Request != nil && t.Outcome == Rejected:
		outcome = Rejected
	case t.Request != nil:
		outcome = Proposed // it waits, as before
	}
	return t.settle(outcome, "process "+r.String()+" died")
}

// guess is used where the record cannot be read (a torn write): the operation whose changes are
// landing, by the manifest, is the one that was open.
func (s *Records) guess() lock.Record {
	ids, _ := s.IDs()
	for _, id := range slices.Backward(ids) {
		a, err := s.openArchive(id)
		if err != nil {
			continue
		}
		begun := a.State == landing.Landing
		a.Close()
		if info, err := s.Info(id); begun && err == nil {
			return lock.Record{Dream: id, Kind: info.Kind, Stage: s.FolderOf(id), Committing: true}
		}
	}
	return lock.Record{}
}

// openLeft opens the folder of a dead operation, which must be in our own state folder: a record is not
// trusted to lead elsewhere.
func (s *Records) openLeft(r lock.Record) (*os.Root, Info, error) {
	info := Info{ID: r.Dream, Kind: r.Kind, Started: r.Started, LastCall: r.Started} // the manifest has what is to land
	if !ValidID(r.Dream) || r.Stage != s.FolderOf(r.Dream) {
		return nil, info, fmt.Errorf("its folder %s is not in our state folder %s", r.Stage, s.StateDir())
	}
	folder, err := s.OpenFolder(r.Dream)
	if err != nil {
		return nil, info, err
	}
	if read, err := s.Info(r.Dream); err == nil {
		info = read
	}
	return folder, info, nil
}

// LostPlan returns why a commit that has begun cannot be carried on; nil where it can, or none has begun.
func (s *Records) LostPlan(r lock.Record) error {
	if !r.Committing {
		return nil
	}
	folder, _, err := s.openLeft(r)
	if err != nil {
		return err
	}
	a, err := landing.OpenArchive(folder)
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	defer a.Close()
	if a.State != landing.Landing {
		return nil
	}
	for _, c := range a.Changes {
		if _, err := a.Content(c.After); err != nil {
			return err
		}
	}
	return nil
}
