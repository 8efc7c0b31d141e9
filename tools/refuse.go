package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
	"dream-mcp/tools/hint"
)

// refuse renders an error for a model: what was refused and why, the next call, and a line for each finding.
func refuse(err error, show secret.Allowed) *mcp.CallToolResult {
	reason, next, rest := explain(err)
	var b text
	b.add(true, "refused: %s\n", visible.Short(show.Line(reason), 4_000))
	b.add(next != "", "hint: %s\n", visible.Short(show.Line(next), 2_000))
	shown := fill(&b, len(rest), maxError-100, func(i int) string { return visible.Short(show.Line(rest[i]), 600) + "\n" })
	b.add(shown < len(rest), "… and %d more", len(rest)-shown)
	return mcp.NewToolResultError(cut(strings.TrimRight(b.String(), "\n"), maxError))
}

// explain returns the reason of an error, what to do next, and more lines.
func explain(err error) (reason, next string, rest []string) {
	var (
		rule     *consolidate.RuleError
		base     *ops.BaseError
		twin     *memory.TwinError
		conflict *ops.ConflictError
	)
	reason, next = err.Error(), hint.For(err).Model
	switch {
	case errors.As(err, &rule):
		reason, rest = explainRule(rule)
	case errors.As(err, &base):
		if reason = "base: " + reason; base.OnDisk && base.Have != "" {
			reason += ": the file on disk changed after it was staged"
		}
	case errors.As(err, &twin):
		reason = "name: " + reason
	case errors.As(err, &conflict):
		reason = "conflict: a file that this is based on was changed; nothing has landed"
		if o := conflict.Landed; len(o.Changes) > 0 {
			reason = "conflict: a file was changed during the commit and left as it is; the rest has landed as " + o.ID
		}
		rest = conflictLines(conflict.Conflicts)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		reason = "the call was cancelled"
	}
	return reason, next, rest
}

func conflictLines(conflicts []ops.Conflict) (lines []string) {
	for _, c := range conflicts {
		lines = append(lines, "conflict: "+c.String())
	}
	return lines
}

func explainRule(e *consolidate.RuleError) (reason string, rest []string) {
	first := e.Findings[0]
	reason = first.Rule + ": " + first.Message
	if first.File != "" {
		reason = fmt.Sprintf("%s: %s: %s", first.Rule, first.File, first.Message)
	}
	for _, f := range e.Findings[1:] {
		if f.Hint == first.Hint {
			f.Hint = "" // shown above
		}
		rest = append(rest, findingLine(f))
	}
	for i, p := range e.Proposed {
		if i == 0 {
			rest = append(rest, "proposed lines (adopt takes them):")
		}
		rest = append(rest, p.Line)
	}
	return reason, rest
}

// findingLine renders a finding as one line.
func findingLine(f rule.Finding) string {
	var b text
	b.add(true, "%s %s", f.Severity, f.Rule)
	b.add(f.File != "", " %s", rule.Places([]rule.Finding{f}))
	b.add(true, ": %s", f.Message)
	b.add(f.Hint != "", " → %s", f.Hint)
	return oneLine(b.String())
}
