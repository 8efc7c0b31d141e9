package store

import (
	"errors"
	"fmt"
	"os"

	"dream-mcp/consolidate/lock"
)

// Land makes what is staged, and the index as edit has it, the memory's own. With a *HalfError it has begun, and t is closed: the next
// operation carries it on. With any other error the memory is untouched.
func (t *Tx) Land(edit *Index) error {
	waived := t.Waived
	t.Waived = t.Needed
	err := t.land(edit)
	if isHalf(err) {
		return errors.Join(err, t.close())
	}
	if err != nil {
		t.Waived = waived // it may be tried again
	}
	return err
}

func (t *Tx) land(edit *Index) error {
	if err := t.Save(); err != nil { // so that a recovery can report it
		return err
	}
	t.s.Step("plan")
	if err := t.checkFolder(); err != nil {
		return err
	}
	content, base := edit.content()
	plan, err := t.Stage.Plan(t.s.Now(), content, base)
	if err != nil {
		return err
	}
	if err := t.lock.Check(t.Dir.Root()); err != nil {
		return errors.Join(err, plan.Cancel())
	}
	if t.Kind == lock.KindDream {
		// Seen as late as can be: where Claude Code has taken over, nothing lands.
		if err := lock.HoldsHost(t.Dir.Root(), t.record.PID); err != nil {
			return errors.Join(err, plan.Cancel())
		}
	}
	t.record.Committing = true
	t.s.Step("mark")
	if err := t.lock.Write(t.record); err != nil {
		t.record.Committing = false
		return errors.Join(err, plan.Cancel())
	}
	t.s.Step("land")
	if err = plan.Land(t.s.Step); err != nil {
		err = plan.Land(t.s.Step) // the first failure may have been of a moment
	}
	if err != nil {
		return &HalfError{ID: t.ID, Why: err}
	}
	t.s.Step("landed")
	return nil
}

// checkFolder fails where the folder of t is no longer where the next process looks for it: what lands
// could be carried on by nobody, and not be undone.
func (t *Tx) checkFolder() error {
	ours, err := t.Folder.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Stat(t.record.Stage)
	if err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("the folder %q was moved or replaced meanwhile; nothing has landed", t.record.Stage)
	}
	return nil
}

// End ends t, after Land as committed, and releases the lock. Where it fails the record stays in the lock file, and the next operation
// does what is missing.
func (t *Tx) End(outcome Outcome, reason string) error {
	s := t.s
	if s.open == t {
		s.open = nil
	}
	err := t.settle(outcome, reason)
	if err == nil && outcome == Committed && s.Landed != nil {
		s.Landed(t.Info)
	}
	if err = errors.Join(err, t.close()); err != nil && outcome == Committed {
		err = &HalfError{ID: t.ID, Why: err}
	}
	if outcome == Committed {
		for _, c := range t.Stage.Changes {
			s.Changed(MemoryURI(c.Name))
		}
		s.Changed(LastURI)
	}
	s.Changed(StatusURI)
	return err
}

// settle writes down how t ended, and clears the lock file: until then, a recovery does all of it again.
func (t *Tx) settle(outcome Outcome, reason string) error {
	t.s.Step("stamp")
	if err := t.stamp(outcome); err != nil {
		return err
	}
	t.Outcome, t.Ended = outcome, t.s.Now()
	if reason != "" {
		t.Reason = reason
	}
	if outcome != Committed && t.Kind != lock.KindDream && t.Request == nil && len(t.Stage.Displaced) == 0 {
		t.Folder.Close() // an open folder can't be moved everywhere
		return errors.Join(t.s.Discard(t.ID), t.lock.Clear())
	}
	t.s.Step("journal")
	err := t.Save()
	if err == nil && t.s.Ended != nil {
		err = t.s.Ended(t.Info, t.Stage.Manifest)
	}
	if err == nil {
		err = t.s.Append(t.Entry(t.Stage.Manifest, outcome, t.Ended))
	}
	if err != nil {
		return err
	}
	t.s.Step("clear")
	return t.lock.Clear()
}

// stamp sets the time of the last consolidation as t leaves it. A dream gives Claude Code's lock back, unless it was taken over.
func (t *Tx) stamp(outcome Outcome) (err error) {
	switch {
	case t.Kind == lock.KindDream:
		to := t.record.Prior
		if outcome == Committed || outcome == Rejected {
			to = t.consolidatedAt(t.Stage.Landed, to)
		}
		err = lock.ReleaseHost(t.Dir.Root(), t.record.PID, to)
		if errors.Is(err, lock.ErrTaken) {
			err = nil // it is not ours to touch
		}
	case outcome == Committed && t.Restamp != nil:
		t.Restamp.Done, err = lock.RestampHost(t.Dir, t.Restamp.From, t.Restamp.To)
	}
	return err
}

// close releases what t holds of the system, and leaves the record.
func (t *Tx) close() error {
	if t.s.open == t {
		t.s.open = nil
	}
	return errors.Join(t.lock.Release(), t.Folder.Close(), t.Dir.Close())
}
