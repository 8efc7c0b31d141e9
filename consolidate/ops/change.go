package ops

import (
	"context"
	"errors"
	"io/fs"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
)

// Change is a whole transaction outside a dream: it lands what fill stages and the index that fill returns. It does not
// touch Claude Code's lock or the gates. If there is nothing to land, it leaves no trace and landed has no ID. In an
// unattended process it fails with ErrUnattended, except for what comes from others (Kind.FromOthers).
func (s *Store) Change(ctx context.Context, info Op, fill func(*Tx) (NewIndex, error)) (landed Op, err error) {
	if s.Unattended && !info.Kind.FromOthers() {
		return Op{}, ErrUnattended
	}
	t, err := s.Begin(ctx, func(*memory.Dir) (Op, error) { return info, nil })
	if err != nil {
		return Op{}, err
	}
	index, err := fill(t)
	if err == nil && (len(t.Changes) > 0 || index.Content != nil) {
		if err = t.Land(index); err == nil {
			err = t.End(Committed, "")
			return t.Op, err
		}
		if _, half := errors.AsType[*HalfError](err); half {
			return Op{}, err
		}
	}
	return Op{}, errors.Join(err, t.End(Aborted, ""))
}

// TakeAsIs ends the operation in the lock file without landing anything more, so that the memory is as it is on disk.
// Temporaries in the memory directory are archived.
func (s *Store) TakeAsIs(ctx context.Context, dir *memory.Dir, why string) error {
	l, err := s.take(ctx, dir, Wait)
	if err != nil {
		return err
	}
	r, err := l.Read()
	if err == nil && r.ID != "" {
		s.Step("give back")
		left := &Tx{Op: Op{Header: Header{Kind: r.Kind}}, Dir: dir, record: r, s: s}
		if err := left.stamp(Crashed); err != nil {
			return errors.Join(err, l.Release())
		}
	}
	if err := s.Records.abandon(); err != nil {
		return errors.Join(err, l.Release())
	}
	own, err := memory.Open(dir.Path()) // the transaction closes its own
	if err != nil {
		return errors.Join(err, l.Release())
	}
	info := s.New(lock.KindMend)
	info.Reason = why
	t, err := s.beginUnder(l, own, info)
	if err != nil {
		return errors.Join(err, l.Release(), own.Close())
	}
	s.Step("sweep")
	if err := t.Stage.sweep(); err != nil {
		return errors.Join(err, t.close())
	}
	err = t.End(Committed, "")
	if err == nil && len(t.Displaced) == 0 {
		err = s.Records.Discard(t.ID)
	}
	return err
}

// abandon makes an operation that is landing one that has crashed.
func (s *Records) abandon() error {
	db := s.DB()
	id, err := db.Operations().Landing()
	if err != nil || id == "" {
		return err
	}
	o, err := s.Op(id)
	if err != nil {
		return db.Operations().Discard(id)
	}
	o.unplan()
	o.Outcome, o.Ended = Crashed, s.Now()
	row, err := o.row(s.AllowSecrets)
	if err != nil {
		return err
	}
	return db.Operations().Save(row, nil, nil, nil)
}

// WithFileLock calls do under the file lock, .dream.lock, after recovery. The caller holds the mutex.
func (s *Store) WithFileLock(ctx context.Context, do func(*memory.Dir) error) error {
	dir, err := s.makeDir()
	if err != nil {
		return err
	}
	defer dir.Close()
	l, err := s.lockAndRecover(ctx, dir, Wait)
	if err != nil {
		return err
	}
	return errors.Join(do(dir), l.Release())
}

// SetTime sets the time of the last consolidation to now, as lock.SetHostTime does. The caller holds the mutex.
func (s *Store) SetTime(ctx context.Context) error {
	now := s.Now()
	return s.WithFileLock(ctx, func(dir *memory.Dir) error {
		return lock.SetHostTime(dir, now)
	})
}

// Hold keeps an operation for the person: fill stages its changes. A new operation is logged. The caller holds the file
// lock.
func (s *Store) Hold(dir *memory.Dir, info Op, fill func(*Stage) error) error {
	s.Step("propose")
	t, err := s.openTx(dir, info)
	if err != nil {
		return err
	}
	t.Stage.late = true // until all is staged
	_, known := t.Stage.db.Operations().Get(t.ID)
	if known != nil && !errors.Is(known, fs.ErrNotExist) {
		return known
	}
	if err := fill(t.Stage); err != nil {
		return err
	}
	if known == nil {
		return t.Save()
	}
	entry := t.Entry(Proposed, info.Reviewed)
	return t.Stage.store(&entry)
}
