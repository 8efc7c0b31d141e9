package ops

import (
	"errors"
	"fmt"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// NewIndex is a new index that lands with an operation. Its zero value leaves the index as it is.
type NewIndex struct {
	Content []byte
	Base    memory.Sum   // of the index that it replaces
	Before  func() error // called before the landing, if not nil
	After   func()       // called after it, if not nil
}

// Land lands what is staged, and a new index. After a *HalfError the commit has begun and t is closed; the next
// operation completes it. After any other error the memory is unchanged.
func (t *Tx) Land(index NewIndex) error {
	waived := t.Waived
	t.Waived = t.Needed
	err := t.tryLand(index)
	if _, half := errors.AsType[*HalfError](err); half {
		return errors.Join(err, t.close())
	}
	if err != nil {
		t.Waived = waived // it may be tried again
	}
	return err
}

func (t *Tx) tryLand(index NewIndex) error {
	t.s.Step("plan")
	if t.Stage.db.Replaced() { // no other process could complete the landing, or undo it
		return fmt.Errorf("the state folder %q was moved or replaced; nothing has landed", t.s.Records.StateDir())
	}
	if index.Before != nil {
		if err := index.Before(); err != nil {
			return err
		}
	}
	if err := t.Stage.prepare(t.s.Now(), index.Content, index.Base); err != nil {
		return err
	}
	t.s.Step("prepared")
	if err := t.lock.Check(t.Dir.Root()); err != nil {
		return errors.Join(err, t.Stage.cancel())
	}
	if t.Kind == lock.KindDream {
		// As late as possible: if Claude Code has taken the lock over, nothing lands.
		if _, err := lock.HeldHost(t.Dir.Root(), t.record.PID); err != nil {
			return errors.Join(err, t.Stage.cancel())
		}
	}
	t.s.Step("commit")
	if err := t.Stage.makeDurable(t.Rest); err != nil {
		return err
	}
	t.record.Committing = true
	t.s.Step("mark")
	err := t.lock.Write(t.record)
	if err == nil {
		err = t.lock.Sync()
	}
	if err != nil {
		t.record.Committing = false
		if back := errors.Join(t.Stage.cancel(), t.lock.Write(t.record)); back != nil {
			return &HalfError{ID: t.ID, Why: errors.Join(err, back)}
		}
		return err
	}
	t.s.Step("land")
	if err = t.Stage.land(t.s.Step); err != nil {
		err = t.Stage.land(t.s.Step) // try once more
	}
	if err != nil {
		return &HalfError{ID: t.ID, Why: err}
	}
	t.s.Step("landed")
	if index.After != nil {
		index.After()
	}
	return nil
}

// End ends t and releases the lock. The outcome after Land is Committed. If End fails, the record remains in the lock
// file, and the next operation does what is missing.
func (t *Tx) End(outcome Outcome, reason string) error {
	s := t.s
	if s.open == t {
		s.open = nil
	}
	err := t.conclude(outcome, reason)
	if err == nil && outcome == Committed && s.Landed != nil && !t.Stage.db.Replaced() {
		s.Landed(t.Op)
	}
	if err = errors.Join(err, t.close()); err != nil && outcome == Committed {
		err = &HalfError{ID: t.ID, Why: err}
	}
	return err
}

// conclude records the end of t and clears the lock file. After a crash before that, recovery calls it again.
func (t *Tx) conclude(outcome Outcome, reason string) error {
	t.s.Step("stamp")
	if err := t.stamp(outcome); err != nil {
		return err
	}
	if t.State != state.Landed { // else Land has recorded it
		t.Outcome, t.Ended = outcome, t.s.Now()
		if reason != "" {
			t.Reason = reason
		}
		if outcome != Committed && t.Kind != lock.KindDream && t.Request == nil && len(t.Displaced) == 0 {
			return errors.Join(t.lock.Clear(), t.s.Records.Discard(t.ID))
		}
		t.s.Step("log")
		entry := t.Entry(outcome, t.Ended)
		if err := t.Stage.store(&entry); err != nil {
			return err
		}
	}
	if t.s.Ended != nil {
		t.s.Step("ended")
		if err := t.s.Ended(t.Op); err != nil {
			return err
		}
	}
	t.s.Step("clear")
	return t.lock.Clear()
}

// stamp sets the time of the last consolidation at the end of t. A dream also releases Claude Code's lock, unless
// another process has taken it over.
func (t *Tx) stamp(outcome Outcome) (err error) {
	switch {
	case t.Kind == lock.KindDream:
		to := t.record.Prior
		if outcome == Committed || outcome == Rejected {
			to = t.consolidatedAt(t.Landed, to)
		}
		err = lock.ReleaseHost(t.Dir, t.record.PID, to)
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
	return errors.Join(t.lock.Release(), t.Dir.Close())
}
