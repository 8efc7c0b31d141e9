package ops

import (
	"errors"
	"fmt"
	"strings"
)

var (
	ErrUnknown = errors.New("no such dream")
	ErrNoDream = errors.New("no dream is open")
	ErrNothing = errors.New("nothing has landed yet")
)

// ErrUnattended refuses an operation that needs a person.
var ErrUnattended = Refuse("nobody watches, so nothing is changed outside a dream", "dream_orient opens one if it is due; anything else needs a person")

// A RequestError refuses a request. Hint says what to do instead.
type RequestError struct{ Message, Hint string }

func (e *RequestError) Error() string { return e.Message }

// Refuse returns a *RequestError.
func Refuse(message, hint string) error { return &RequestError{message, hint} }

// DidYouMean returns a hint that offers the nearest name, if there is one, or what to do otherwise.
func DidYouMean(nearest, otherwise string) string {
	if nearest == "" {
		return otherwise
	}
	return "did you mean " + Quoted(nearest) + "? else " + otherwise
}

// Quoted quotes a name for a shell if needed.
func Quoted(name string) string {
	if strings.ContainsAny(name, " '") {
		return `"` + name + `"`
	}
	return name
}

// A BrokenError reports an interrupted commit that cannot be completed, because its plan is lost or the disk fails. Until it
// is completed, nothing may be written.
type BrokenError struct {
	Holder string
	Why    error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("an interrupted commit (%s) cannot be completed: %v", e.Holder, e.Why)
}

// A HalfError reports a commit that has begun but failed. The next operation completes it.
type HalfError struct {
	ID  string
	Why error
}

func (e *HalfError) Error() string {
	return fmt.Sprintf("the commit %s has begun and could not be completed: %v", e.ID, e.Why)
}

func isHalf(err error) bool {
	var half *HalfError
	return errors.As(err, &half)
}

// A PartError reports a single change that landed without some files. Somebody else changed those during the commit, and
// they are left as they are.
type PartError struct {
	ID     string // of the change, for an undo; "" if nothing landed
	Landed []string
	Left   []Conflict
}

func (e *PartError) Error() string {
	left := make([]string, len(e.Left))
	for i, c := range e.Left {
		left[i] = c.Name.String()
	}
	s := fmt.Sprintf("somebody else changed %s during the commit: left as it is", strings.Join(left, ", "))
	if e.ID == "" {
		return s + "; nothing has landed"
	}
	return fmt.Sprintf("%s; %s has landed as %s", s, strings.Join(e.Landed, ", "), e.ID)
}

// LeftOut returns a *PartError if a transaction left files as others changed them, else nil.
func LeftOut(a Op) error {
	if len(a.LeftAlone) == 0 {
		return nil
	}
	e := &PartError{Left: a.LeftAlone}
	for _, c := range a.Changes {
		e.ID, e.Landed = a.ID, append(e.Landed, c.Name.String())
	}
	return e
}
