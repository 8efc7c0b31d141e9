package ops

import (
	"errors"
	"fmt"
	"os"

	"dream-mcp/consolidate/lock"
)

// Land lands what is staged, and the index of edit. After a *HalfError the commit has begun and t is closed; the next
// operation completes it. After any other error the memory is unchanged.
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
	if err := t.Save(); err != nil { // for recovery
		return err
	}
	t.s.Step("plan")
	if err := t.checkFolder(); err != nil {
		return err
	}
	if edit != nil {
		if err := t.noteFull(edit, edit.Came...); err != nil {
			return err
		}
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
		// As late as possible: if Claude Code has taken the lock over, nothing lands.
		if _, err := lock.HeldHost(t.Dir.Root(), t.record.PID); err != nil {
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
		err = plan.Land(t.s.Step) // try once more
	}
	if err != nil {
		return &HalfError{ID: t.ID, Why: err}
	}
	t.s.Step("landed")
	if edit != nil && len(edit.Came) > 0 {
		_ = t.noteFull(edit) // without it they are looked for again
	}
	return nil
}

// checkFolder fails if the folder of t was moved. No other process could then complete the commit, or undo it.
func (t *Tx) checkFolder() error {
	ours, err := t.Folder.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Stat(t.record.Stage)
	if err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("the folder %q was moved or replaced; nothing has landed", t.record.Stage)
	}
	return nil
}

// End ends t and releases the lock. The outcome after Land is Committed. If End fails, the record remains in the lock file,
// and the next operation does what is missing.
func (t *Tx) End(outcome Outcome, reason string) error {
	s := t.s
	if s.open == t {
		s.open = nil
	}
	err := t.conclude(outcome, reason)
	if err == nil && outcome == Committed && s.Landed != nil {
		s.Landed(t.Op)
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

// conclude records the end of t and clears the lock file. After a crash before that, recovery calls it again.
func (t *Tx) conclude(outcome Outcome, reason string) error {
	t.s.Step("stamp")
	if err := t.stamp(outcome); err != nil {
		return err
	}
	t.Outcome, t.Ended = outcome, t.s.Now()
	if reason != "" {
		t.Reason = reason
	}
	if outcome != Committed && t.Kind != lock.KindDream && t.Request == nil && len(t.Stage.Displaced) == 0 {
		t.Folder.Close() // some systems cannot move an open folder
		return errors.Join(t.s.Discard(t.ID), t.lock.Clear())
	}
	t.s.Step("journal")
	err := t.Save()
	if err == nil && t.s.Ended != nil {
		err = t.s.Ended(t.Op, t.Stage.Manifest)
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

// stamp sets the time of the last consolidation at the end of t. A dream also releases Claude Code's lock, unless another
// process has taken it over.
func (t *Tx) stamp(outcome Outcome) (err error) {
	switch {
	case t.Kind == lock.KindDream:
		to := t.record.Prior
		if outcome == Committed || outcome == Rejected {
			to = t.consolidatedAt(t.Stage.Landed, to)
		}
		err = lock.ReleaseHost(t.Dir.Root(), t.record.PID, to)
		if errors.Is(err, lock.ErrTaken) {
			err = nil // it is no longer ours
		}
	case outcome == Committed && t.Restamp != nil:
		t.Restamp.Done, err = lock.RestampHost(t.Dir, t.Restamp.From, t.Restamp.To)
	}
	return err
}

// close releases the resources of t. The record remains in the lock file.
func (t *Tx) close() error {
	if t.s.open == t {
		t.s.open = nil
	}
	return errors.Join(t.lock.Release(), t.Folder.Close(), t.Dir.Close())
}
