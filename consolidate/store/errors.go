package store

import (
	"errors"
	"fmt"
	"strings"

	"dream-mcp/memory/landing"
)

// What a request can be refused with.
var (
	ErrUnknown = errors.New("no such dream")
	ErrNoDream = errors.New("no dream is open")
)

// ErrUnattended refuses what is for a person at hand.
var ErrUnattended = Refuse("nobody watches, so nothing is changed outside a dream", "dream_orient opens one where it is due; all else is for a person at hand")

// A RequestError says that a request cannot be carried out as it was put, and what to do instead.
type RequestError struct{ Message, Hint string }

func (e *RequestError) Error() string { return e.Message }

// Refuse returns a *RequestError.
func Refuse(message, hint string) error { return &RequestError{message, hint} }

// DidYouMean is the hint that offers the nearest name, if there is one, or else says what to do.
func DidYouMean(nearest, otherwise string) string {
	if nearest == "" {
		return otherwise
	}
	return "did you mean " + Quoted(nearest) + "? else " + otherwise
}

// Quoted is a name as a shell takes it.
func Quoted(name string) string {
	if strings.ContainsAny(name, " '") {
		return `"` + name + `"`
	}
	return name
}

// A BrokenError says that a commit was cut off and cannot be carried on: its plan is lost, or the disk
// refuses. Until it is, nothing may be written.
type BrokenError struct {
	Holder string
	Why    error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("a commit was cut off (%s) and can't be carried on: %v", e.Holder, e.Why)
}

// A HalfError says that a commit has begun and could not be ended; the next operation takes it up.
type HalfError struct {
	ID  string
	Why error
}

func (e *HalfError) Error() string {
	return fmt.Sprintf("the commit %s has begun and could not be ended: %v", e.ID, e.Why)
}

func isHalf(err error) bool {
	var half *HalfError
	return errors.As(err, &half)
}

// A PartError says that a single change has landed without some of its files: others changed those in
// the moment of the commit, and they were left as they are.
type PartError struct {
	ID     string // undoes what has landed; "" where nothing has
	Landed []string
	Left   []landing.Conflict
}

func (e *PartError) Error() string {
	left := make([]string, len(e.Left))
	for i, c := range e.Left {
		left[i] = c.Name.String()
	}
	s := fmt.Sprintf("somebody else changed %s in the moment of the commit: left as it is", strings.Join(left, ", "))
	if e.ID == "" {
		return s + "; nothing has landed"
	}
	return fmt.Sprintf("%s; %s has landed as %s", s, strings.Join(e.Landed, ", "), e.ID)
}

// LeftOut returns a *PartError where files of a transaction were left as others made them, else nil.
func LeftOut(id string, a *landing.Archive) error {
	if len(a.LeftAlone) == 0 {
		return nil
	}
	e := &PartError{Left: a.LeftAlone}
	for _, c := range a.Changes {
		e.ID, e.Landed = id, append(e.Landed, c.Name.String())
	}
	return e
}
