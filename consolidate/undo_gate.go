package consolidate

import (
	"errors"
	"fmt"
	"time"

	"dream-mcp/memory"
)

// restamp is what an undo does to the time of the last consolidation, so that the sessions that a dream
// reviewed are to be reviewed again. It does nothing where that time is no longer From: the dream was not
// the last one.
type restamp struct {
	From stamp `json:"from"`
	To   stamp `json:"to"`
}

// restampOf returns the restamp of undoing what info tells of, which landed at a time; nil for what has
// not changed the time of the last consolidation.
func restampOf(info Info, landed time.Time) *restamp {
	switch {
	case info.Kind == KindDream && info.Request != nil:
		return &restamp{From: stamp{Exists: true, Time: info.Reviewed}, To: info.Since}
	case info.Kind == KindDream:
		return &restamp{From: stamp{Exists: true, Time: landed}, To: info.Since}
	case info.Restamp != nil:
		return &restamp{From: info.Restamp.To, To: info.Restamp.From}
	}
	return nil
}

// restampNow carries r out, under our lock. Doing it twice does no harm. It reports whether the time is
// now r.To.
func (p *Project) restampNow(dir *memory.Dir, r restamp) (done bool, err error) {
	n, err := readNative(dir.Root())
	switch {
	case err != nil || n.pid != 0:
		return false, err
	case n.near(r.To):
		return true, nil
	case !n.near(r.From):
		return false, nil
	case !r.To.Exists:
		err = dir.Root().Remove(nativeFile)
	default:
		err = swapNative(dir, n, n.text(0, r.To.Time), r.To.Time)
	}
	if errors.Is(err, errHeld) {
		return false, nil
	}
	if err == nil && (!r.To.Exists || r.From.Exists && r.To.Time.Before(r.From.Time)) {
		err = p.waitAfterUndo()
	}
	return err == nil, err
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

// near reports whether two stamps are one, as exact as every file system and format keeps them.
func (s stamp) near(o stamp) bool {
	return s.Exists == o.Exists && s.Time.Sub(o.Time).Abs() < 2*time.Second
}

// String says what holds again, for a person.
func (r restamp) String() string {
	if !r.To.Exists {
		return "no dream counts as the last one: all sessions are to be reviewed"
	}
	return fmt.Sprintf("the last dream that counts is that of %s: the sessions since then are to be reviewed", r.To)
}
