package ops

import (
	"errors"
	"fmt"
	"strings"
)

var (
	ErrUnknown = errors.New("unknown ID")
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

// A BrokenError reports an interrupted commit that cannot be completed, because its plan is lost or the disk fails.
// Until it is completed, nothing may be written.
type BrokenError struct {
	Holder string
	Why    error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("an interrupted commit (%s) cannot be completed: %v", e.Holder, e.Why)
}

func (e *BrokenError) Unwrap() error { return e.Why }

// A HalfError reports a commit that has begun but failed. The next operation completes it.
type HalfError struct {
	ID  string
	Why error
}

func (e *HalfError) Error() string {
	return fmt.Sprintf("the commit %s has begun and could not be completed: %v", e.ID, e.Why)
}

func (e *HalfError) Unwrap() error { return e.Why }

// A ConflictError says which files somebody else changed since they were read, or during the commit. They are left as
// they are.
type ConflictError struct {
	Conflicts []Conflict
	Landed    Op // with the changes of a single write that landed beside them
}

func (e *ConflictError) Error() string {
	parts := make([]string, len(e.Conflicts))
	for i, c := range e.Conflicts {
		parts[i] = c.String()
	}
	s := "changed by somebody else meanwhile: " + strings.Join(parts, "; ")
	for _, c := range e.Landed.Changes {
		s += fmt.Sprintf("; %s has landed as %s", c.Name, e.Landed.ID)
	}
	return s
}

// LeftOut returns a *ConflictError if a landing left files as others changed them, else nil.
func LeftOut(o Op) error {
	if len(o.LeftAlone) == 0 {
		return nil
	}
	return &ConflictError{o.LeftAlone, o}
}

// NoMemory is what a person reads where a Store has no directory yet.
const NoMemory = "the memory directory does not exist yet; a dream or a write creates it"
