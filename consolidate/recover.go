package consolidate

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// Recover ends what a crash left, if anything. It is cheap where nothing was left, and creates no
// file. A lock that is held is no error: somebody lives.
func (p *Project) Recover(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recoverHere(ctx)
}

// recoverHere is Recover. The caller holds p.mu.
func (p *Project) recoverHere(ctx context.Context) error {
	dir, err := p.openDisk()
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	return p.recoverIfLeft(ctx, dir)
}

// recoverIfLeft is Recover on an open directory. The caller holds p.mu.
func (p *Project) recoverIfLeft(ctx context.Context, dir *memory.Dir) error {
	if p.dream != nil {
		return nil
	}
	if r, err := lock.Read(dir.Root()); err == nil && r.Dream == "" {
		return nil
	}
	l, err := p.lockWait(ctx, dir, 0)
	var busy *lock.BusyError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.Release()
}

// recover ends what the record in the lock file, which is now ours, tells of: a begun commit lands,
// all else is rolled back. It fails with a *BrokenError where a commit has begun whose plan is not to
// be had: then nothing may be written.
func (p *Project) recover(l *lock.Lock, dir *memory.Dir) error {
	r, err := l.Read()
	if err != nil {
		r = p.guess()
	}
	if err == nil && r.Dream == "" {
		return nil
	}
	p.step("recover")
	if r.Dream != "" {
		if err := p.recoverDream(dir, r); err != nil {
			return err
		}
	}
	return l.Clear()
}

// guess stands in for a record that can't be read (a torn write): the dream whose changes are
// landing, by the manifest, is the one that was open.
func (p *Project) guess() lock.Record {
	state, err := p.openState()
	if err != nil {
		return lock.Record{}
	}
	ids, _ := dreamIDs(state)
	for _, id := range slices.Backward(ids) {
		a, err := openArchive(state, id)
		if err != nil {
			continue
		}
		landing := a.State == landing.Landing
		a.Close()
		if info, err := readInfo(state, id); landing && err == nil {
			return lock.Record{Dream: id, Kind: info.Kind, Stage: filepath.Join(p.StateDir(), dreamFolder, id), Committing: true}
		}
	}
	return lock.Record{}
}

func (p *Project) recoverDream(dir *memory.Dir, r lock.Record) error {
	folder, info, err := p.openLeft(r)
	if err != nil {
		if r.Committing {
			return &BrokenError{Holder: r.String(), Why: err}
		}
		// Nothing has landed; all that is left to do is to give the stamp back.
		return p.giveBack(dir, r, r.Prior)
	}
	defer folder.Close()
	a, err := landing.Recover(dir, folder, r.Committing)
	if err != nil {
		if r.Committing {
			return &BrokenError{Holder: r.String(), Why: err}
		}
		return p.giveBack(dir, r, r.Prior)
	}
	outcome, after := Crashed, r.Prior
	if a.State == landing.Landed {
		outcome, after = Committed, info.consolidatedAt(a.Landed, r.Prior)
	}
	switch {
	case outcome != Crashed || info.Request == nil:
	case info.Outcome == Rejected:
		outcome = Rejected
	default:
		outcome = Proposed // it waits, as before
	}
	if err := p.giveBack(dir, r, after); err != nil {
		return err
	}
	if outcome == Committed && info.Restamp != nil {
		if _, err := p.restampNow(dir, *info.Restamp); err != nil {
			return err
		}
	}
	now := p.o.Now()
	info.Outcome, info.Ended, info.Reason = outcome, now, "process "+r.String()+" died"
	d := &dream{Info: info, folder: folder, stage: &landing.Stage{Archive: a}, allowed: p.o.AllowSecrets}
	if info.Kind != lock.KindDream && outcome == Crashed && len(a.Displaced) == 0 {
		// A single write that did not land: nobody resumes it.
		return p.discard(info.ID)
	}
	if outcome == Committed || outcome == Rejected {
		err = p.keepMarks(info)
	}
	return errors.Join(err, d.save(), p.log(d, outcome, now))
}

// giveBack sets the time of the last consolidation, if Claude Code's lock is still r's: where it has
// been taken over it is not ours to touch any more.
func (p *Project) giveBack(dir *memory.Dir, r lock.Record, s lock.Stamp) error {
	if r.Kind != lock.KindDream {
		return nil
	}
	err := lock.ReleaseHost(dir.Root(), r.PID, s)
	if errors.Is(err, lock.ErrTaken) {
		return nil
	}
	return err
}

// openLeft opens the folder of a dead dream, which must be in our own state folder: a record is not
// trusted to lead elsewhere.
func (p *Project) openLeft(r lock.Record) (*os.Root, Info, error) {
	if !validID(r.Dream) || r.Stage != filepath.Join(p.StateDir(), dreamFolder, r.Dream) {
		return nil, Info{}, errors.New("its folder " + r.Stage + " is not in our state folder " + p.StateDir())
	}
	state, err := p.openState()
	if err != nil {
		return nil, Info{}, err
	}
	folder, err := memory.OpenBelow(state, path.Join(dreamFolder, r.Dream))
	if err != nil {
		return nil, Info{}, err
	}
	info, err := readInfo(state, r.Dream)
	if err != nil { // what is to land stands in the manifest; this only tells of it
		info = Info{ID: r.Dream, Kind: r.Kind, Started: r.Started, LastCall: r.Started}
	}
	return folder, info, nil
}
