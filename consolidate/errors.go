package consolidate

import (
	"errors"
	"fmt"
	"strings"

	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// What ends or refuses an operation. A caller turns them into words for a model.
var (
	ErrNoDream = errors.New("no dream is open")
	ErrExpired = errors.New("the dream has expired: there was no call for an hour; its stage is kept")
	ErrStopped = errors.New("the dream was stopped from another process; its stage is kept")
	ErrLost    = errors.New("Claude Code's own dream has taken the lock over; nothing of this dream has landed, its stage is kept")
	ErrNoStage = errors.New("there is no stage of an earlier dream to resume")
	ErrUnknown = errors.New("no such dream")
	ErrUndone  = errors.New("nothing is left to undo")
)

// errUnattended refuses what is for a person at hand.
var errUnattended = &RequestError{"nobody watches, so nothing is changed outside a dream", "dream_orient opens one where it is due; all else is for a person at hand"}

// A ClosedError says that a gate is closed.
type ClosedError struct {
	Gate      Gate
	MemoryOff bool // and nothing opens it
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("the %s gate is closed: %s", e.Gate.Name, e.Gate.Why)
}

// A PersonError refuses what only the person may decide. Who can ask them puts Question to them.
type PersonError struct {
	Err      error
	Question string
	Terminal string       // the command by which they do the same in a terminal
	Leave    func() error // nil, or leaves it for the person where they cannot be asked, and returns what to refuse it with
}

func (e *PersonError) Error() string { return e.Err.Error() }

func (e *PersonError) Unwrap() error { return e.Err }

// A BrokenError says that a commit was cut off and can't be carried on: its plan is lost, or the disk
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

// leftOut returns a *PartError where files of a transaction were left as others made them, else nil.
func leftOut(id string, a *landing.Archive) error {
	if len(a.LeftAlone) == 0 {
		return nil
	}
	e := &PartError{Left: a.LeftAlone}
	for _, c := range a.Changes {
		e.ID, e.Landed = id, append(e.Landed, c.Name.String())
	}
	return e
}

// A RuleError says which findings refuse a write or a commit.
type RuleError struct {
	Findings []rule.Finding // the blocking ones first
	Proposed []rule.Proposal
}

func (e *RuleError) Error() string {
	var b strings.Builder
	for _, f := range e.Findings {
		if f.Severity == rule.Error {
			fmt.Fprintf(&b, "%s: %s; ", f.Rule, f.Message)
		}
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// Rule returns the name of the first rule that refuses.
func (e *RuleError) Rule() string {
	if len(e.Findings) == 0 {
		return ""
	}
	return e.Findings[0].Rule
}

// A RequestError says that a request can't be carried out as it was put.
type RequestError struct{ Message, Hint string }

func (e *RequestError) Error() string { return e.Message }

// didYouMean is the hint that offers the nearest name, if there is one, or else says what to do.
func didYouMean(nearest, otherwise string) string {
	if nearest == "" {
		return otherwise
	}
	return "did you mean " + quoted(nearest) + "? else " + otherwise
}
