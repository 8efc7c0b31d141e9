package consolidate

import (
	"fmt"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
)

// restamp is what an undo does to the time of the last consolidation, so that the sessions that a dream
// reviewed are to be reviewed again. It does nothing where that time is no longer From: the dream was not
// the last one.
type restamp struct {
	From lock.Stamp `json:"from"`
	To   lock.Stamp `json:"to"`
}

// restampOf returns the restamp of undoing what info tells of, which landed at a time; nil for what has
// not changed the time of the last consolidation.
func restampOf(info Info, landed time.Time) *restamp {
	switch {
	case info.Kind == lock.KindDream && info.Request != nil:
		return &restamp{From: lock.Stamp{Exists: true, Time: info.Reviewed}, To: info.Since}
	case info.Kind == lock.KindDream:
		return &restamp{From: lock.Stamp{Exists: true, Time: landed}, To: info.Since}
	case info.Restamp != nil:
		return &restamp{From: info.Restamp.To, To: info.Restamp.From}
	}
	return nil
}

// restampNow carries r out, under our lock. Doing it twice does no harm. It reports whether the time is
// now r.To.
func (p *Project) restampNow(dir *memory.Dir, r restamp) (done bool, err error) {
	done, err = lock.RestampHost(dir, r.From, r.To)
	if done && (!r.To.Exists || r.From.Exists && r.To.Time.Before(r.From.Time)) {
		err = p.waitAfterUndo()
	}
	return done, err
}

// waitAfterUndo keeps hooks from starting or offering at once the dream that a person has just undone.
func (p *Project) waitAfterUndo() error {
	after := p.o.Now().Add(time.Duration(p.o.MinHours * float64(time.Hour)))
	for _, file := range []string{launchFile, offerFile} {
		q := p.readPause(file)
		q.After = after
		if err := p.writePause(file, q); err != nil {
			return err
		}
	}
	return nil
}

// String says what holds again, for a person.
func (r restamp) String() string {
	if !r.To.Exists {
		return "no dream counts as the last one: all sessions are to be reviewed"
	}
	return fmt.Sprintf("the last dream that counts is that of %s: the sessions since then are to be reviewed", r.To)
}
