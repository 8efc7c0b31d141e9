package consolidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/rule"
)

// What ends or refuses an operation. A caller turns them into words for a model.
var (
	ErrExpired = errors.New("the dream has expired: there was no call for an hour; its stage is kept")
	ErrStopped = errors.New("the dream was stopped from another process; its stage is kept")
	ErrLost    = errors.New("Claude Code's own dream has taken the lock over; nothing of this dream has landed, its stage is kept")
	ErrNoStage = errors.New("there is no stage of an earlier dream to resume")
)

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
