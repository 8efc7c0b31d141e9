package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
)

// refuse renders an error for a model: what was refused and why, the next call, and a line for each finding.
func refuse(err error, show secret.Allowed) *mcp.CallToolResult {
	reason, hint, rest := explain(err)
	var b text
	b.add(true, "refused: %s\n", visible.Short(show.Line(reason), 4_000))
	b.add(hint != "", "hint: %s\n", visible.Short(show.Line(hint), 2_000))
	shown := fill(&b, len(rest), MaxError-100, func(i int) string { return visible.Short(show.Line(rest[i]), 600) + "\n" })
	b.add(shown < len(rest), "… and %d more", len(rest)-shown)
	return mcp.NewToolResultError(cut(strings.TrimRight(b.String(), "\n"), MaxError))
}

// explain returns the reason of an error, what to do next, and more lines. Hints without a value of the error are in
// the table hints.
func explain(err error) (reason, hint string, rest []string) {
	var (
		arguments *argumentError
		rule      *consolidate.RuleError
		base      *ops.BaseError
		twin      *memory.TwinError
		conflict  *ops.ConflictError
		closed    *consolidate.ClosedError
		busy      *lock.BusyError
		broken    *ops.BrokenError
		half      *ops.HalfError
		request   *ops.RequestError
		query     *search.QueryError
	)
	reason = err.Error()
	switch {
	case errors.As(err, &arguments):
		return reason, "call it again with arguments that match its schema", nil
	case errors.As(err, &rule):
		return explainRule(rule)
	case errors.As(err, &half), errors.As(err, &broken) && errors.Is(err, syscall.ENOSPC):
		return reason, "free the disk, fix its permissions, or move away what is in the place of a file; " +
			"the next call of any tool continues the commit, and what it replaces is in the archive", nil
	case errors.As(err, &broken):
		return reason, "a person must look: dream-mcp doctor, in a terminal, says what is missing and how to go on", nil
	case errors.As(err, &base):
		reason, hint = explainBase(base, reason)
		return "base: " + reason, hint, nil
	case errors.As(err, &twin):
		return "name: " + reason, fmt.Sprintf("write to %q, or choose a name that differs more", twin.Twin), nil
	case errors.As(err, &conflict):
		reason = "a file that this is based on was changed; nothing has landed"
		hint = "read_memory shows what is there; write_memory again with the disk's sum as base, and in a dream, which stays open, finalize_index"
		if o := conflict.Landed; len(o.Changes) > 0 {
			reason = "a file was changed during the commit and left as it is; the rest has landed as " + o.ID
			hint = fmt.Sprintf("read_memory shows what is there now; write again with its sum as base; "+
				"where the person wants what has landed undone: undo_dream {\"id\": %q}", o.ID)
		}
		return "conflict: " + reason, hint, conflictLines(conflict.Conflicts)
	case errors.As(err, &closed):
		return reason, closedHint(closed), nil
	case errors.As(err, &busy):
		return reason, busyHint(busy), nil
	case errors.As(err, &request):
		return reason, request.Hint, nil
	case errors.As(err, &query):
		return query.Field + ": " + query.Message, cmp.Or(queryHints[query.Field], "see the schema of grep_transcripts"), nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "the call was cancelled", "", nil
	}
	for _, row := range hints {
		if slices.ContainsFunc(row.errs, func(target error) bool { return errors.Is(err, target) }) {
			return reason, row.hint, nil
		}
	}
	return reason, "nothing has changed; dream_status shows the state", nil
}

var hints = []struct {
	hint string
	errs []error
}{
	{"do not ask again unless they say so", []error{errDeclined}},
	{"finalize_index and write_memory answer the ID that can be undone", []error{ops.ErrUnknown, ops.ErrNothing}},
	{"nothing has changed; dream_status shows what the last dream did, and in a terminal dream-mcp log lists all", []error{history.ErrUndone}},
	{"an ID is SESSION:LINE, as in a89ce8ad-134:72; the header of a listing names the session", []error{sessions.ErrNotFound, sessions.ErrAmbiguous}},
	{"dream_orient opens one; outside a dream, write_memory lands a single memory with its line of the index", []error{ops.ErrNoDream}},
	{"dream_orient {\"resume\": true} goes on with what was staged; if nothing was, dream_orient {} begins another", []error{consolidate.ErrExpired, consolidate.ErrLost, lock.ErrGone}},
	{"a person wanted it to end: say so, and do not begin another by yourself", []error{consolidate.ErrStopped}},
	{"dream_orient without resume begins a new dream", []error{consolidate.ErrNoStage}},
	{"one memory holds one fact: split it", []error{memory.ErrTooLarge}},
	{"nothing has changed: a link, a folder, a fifo or a device is where a plain file or folder must be; a person must move it away",
		[]error{memory.ErrNotRegular, syscall.ENOTDIR, syscall.EISDIR}},
	{"nothing has changed: a person must unmount it, or remove the attribute (lsattr shows it, chattr -i -a removes it); or leave this file as it is",
		[]error{memory.ErrFixed}},
	{"this user may not read or write the memory directory, or the state folder: a person must fix its permissions", []error{fs.ErrPermission, syscall.EROFS}},
	{"the disk is full; nothing has changed: free some space and call again", []error{syscall.ENOSPC}},
	{"nothing has changed: a person must look: dream-mcp doctor, in a terminal, says what is wrong with the database, and what to do",
		[]error{state.ErrDamaged, state.ErrForeign, state.ErrNewer}},
}

// queryHints say how to correct a field of a search.
var queryHints = map[string]string{
	"pattern":  `an expression is RE2, without lookaround; without "regex" a pattern is text as it is`,
	"patterns": "ask for the rest in another call",
	"query":    "a question in a few words; a pattern finds text as it is",
	"session":  "dream_orient and a listing name the sessions; leave it out to look at all",
	"cursor":   "call without cursor: it begins again",
}

func conflictLines(conflicts []ops.Conflict) (lines []string) {
	for _, c := range conflicts {
		lines = append(lines, "conflict: "+c.String())
	}
	return lines
}

func explainBase(e *ops.BaseError, text string) (reason, hint string) {
	reason = text
	if e.Have == "" {
		hint = ops.DidYouMean(e.Near, "omit base to create it")
	} else {
		hint = fmt.Sprintf("read_memory {\"paths\": [%q]} shows what is there; write with \"base\": %q", e.Name, e.Have.Short())
		if e.OnDisk {
			reason, hint = reason+": the file on disk changed after it was staged", hint+", which replaces what was staged"
		}
	}
	if e.Name.IsIndex() {
		hint = fmt.Sprintf("a whole new content needs \"base\": %q; upsert and remove need none", e.Have.Short())
	}
	return reason, hint
}

func busyHint(e *lock.BusyError) string {
	switch {
	case e.Host:
		return "wait for it to end, at most an hour; nothing of ours was started"
	case e.Moment:
		return "call again in a moment"
	}
	return "wait for that dream to end; dream_status shows it, and a person can end it with: dream-mcp dream --stop"
}

func closedHint(e *consolidate.ClosedError) string {
	switch {
	case e.MemoryOff:
		return "memory itself is switched off, and nothing opens this gate; only the person can switch it on, in that setting"
	case e.Gate.Name == "enabled":
		return "this is the person's setting: dream_orient {\"force\": true} opens it once they ask for the prompt dream " +
			"on this connection (in Claude Code /mcp__dream__dream), or agree where the client can ask them; or they run, in a terminal: dream-mcp mode suggest"
	case e.Gate.Name == "lock":
		return "wait until the lock is free; dream_status shows who holds it"
	}
	return "no dream is due; where a person asked for one: dream_orient {\"force\": true}"
}

func explainRule(e *consolidate.RuleError) (reason, hint string, rest []string) {
	first := e.Findings[0]
	reason = first.Rule + ": " + first.Message
	if first.File != "" {
		reason = fmt.Sprintf("%s: %s: %s", first.Rule, first.File, first.Message)
	}
	hint = first.Hint
	for _, f := range e.Findings[1:] {
		if f.Hint == hint {
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
	return reason, hint, rest
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
