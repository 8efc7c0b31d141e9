package consolidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/rule"
)

// Errors that end or refuse an operation.
var (
	ErrExpired = errors.New("the dream has expired: there was no call for an hour; its stage is kept")
	ErrStopped = errors.New("the dream was stopped from another process; its stage is kept")
	ErrLost    = errors.New("the lock was taken over by Claude Code's own dream; nothing of this dream has landed, its stage is kept")
	ErrNoStage = errors.New("there is no stage of an earlier dream to resume")
)

// IsOver reports whether err says that a dream ended before its caller ended it.
func IsOver(err error) bool {
	return errors.Is(err, ErrExpired) || errors.Is(err, ErrStopped) || errors.Is(err, ErrLost)
}

// A ClosedError reports a closed gate.
type ClosedError struct {
	Gate      Gate
	MemoryOff bool // memory itself is switched off, so nothing opens the gate
	Waits     bool // another dream waits for the person
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("the %s gate is closed: %s", e.Gate.Name, e.Gate.Why)
}

// A PersonError refuses what only the person may decide. A caller that can ask the person asks Question.
type PersonError struct {
	Err      error
	Question string
	Terminal string       // the equivalent command for a terminal
	Declined func() error // if not nil, notes that they said no, and returns the refusal
	Leave    func() error // if not nil, keeps the request as a proposal where the person cannot be asked, and returns the refusal
}

func (e *PersonError) Error() string { return e.Err.Error() }

func (e *PersonError) Unwrap() error { return e.Err }

// A RuleError reports the findings that refuse a write or a commit.
type RuleError struct {
	Findings []rule.Finding // errors first
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

// where names the rules that refuse, each with its file.
func (e *RuleError) where() string {
	var places []string
	for _, f := range e.Findings {
		if f.Severity == rule.Error {
			places = append(places, strings.TrimSpace(f.Rule+" "+f.File))
		}
	}
	return strings.Join(slices.Compact(places), ", ")
}

// Rule returns the name of the first rule that refuses.
func (e *RuleError) Rule() string {
	if len(e.Findings) == 0 {
		return ""
	}
	return e.Findings[0].Rule
}
