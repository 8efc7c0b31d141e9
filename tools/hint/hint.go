// Package hint has the table of what to do after an error: in the words of the tools for a model, and in those of the
// terminal for a person.
//
// It promises a hint for every error. It does not change what an error says.
package hint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

// A Hint says what to do next after an error.
type Hint struct{ Model, Person string }

// For returns the hint of the first row of the table that is for err.
func For(err error) Hint {
	for _, row := range table {
		if h, ok := row(err); ok {
			return Hint{cmp.Or(h.Model, other.Model), cmp.Or(h.Person, other.Person)}
		}
	}
	return other
}

// other is for the errors that have no row, and the words that a row lacks.
var other = Hint{"nothing has changed; dream_status shows the state",
	"dream-mcp doctor looks for the cause; dream-mcp help lists verbs and flags"}

// What a half-landed commit needs.
const freeDisk = "free the disk, fix its permissions, or move away what is in the place of a file; "

var table = []func(error) (Hint, bool){
	each(func(e *consolidate.RuleError) Hint {
		if len(e.Findings) == 0 {
			return Hint{}
		}
		return Hint{Model: e.Findings[0].Hint, Person: "dream-mcp lint --explain " + e.Rule() + " explains the rule"}
	}),
	func(err error) (Hint, bool) {
		_, broken := errors.AsType[*ops.BrokenError](err)
		_, half := errors.AsType[*ops.HalfError](err)
		return Hint{
			freeDisk + "the next call of any tool continues the commit, and what it replaces is in the archive",
			freeDisk + "dream-mcp status then completes the commit",
		}, half || broken && errors.Is(err, syscall.ENOSPC)
	},
	each(func(*ops.BrokenError) Hint {
		return Hint{"a person must look: dream-mcp doctor, in a terminal, says what is missing and how to go on",
			"dream-mcp doctor shows what is missing, and what to do"}
	}),
	each(func(e *ops.BaseError) Hint {
		switch {
		case e.Name.IsIndex():
			return Hint{Model: fmt.Sprintf("a whole new content needs \"base\": %q; upsert and remove need none",
				e.Have.Short())}
		case e.Have == "":
			return Hint{Model: ops.DidYouMean(e.Near, "omit base to create it")}
		}
		h := fmt.Sprintf("read_memory {\"paths\": [%q]} shows what is there; write with \"base\": %q",
			e.Name, e.Have.Short())
		if e.OnDisk {
			h += ", which replaces what was staged"
		}
		return Hint{Model: h}
	}),
	each(func(e *memory.TwinError) Hint {
		return Hint{Model: fmt.Sprintf("write to %q, or choose a name that differs more", e.Twin),
			Person: "choose a name that differs more"}
	}),
	each(func(e *ops.ConflictError) Hint {
		if id := e.Landed.ID; len(e.Landed.Changes) > 0 {
			return Hint{fmt.Sprintf("read_memory shows what is there now; write again with its sum as base; "+
				"where the person wants what has landed undone: undo_dream {\"id\": %q}", id),
				"look at the file as it is now; dream-mcp undo " + id + " undoes what has landed"}
		}
		return Hint{"read_memory shows what is there; write_memory again with the disk's sum as base, and " +
			"in a dream, which stays open, finalize_index",
			"nothing was overwritten. dream-mcp diff and dream-mcp review show the present state: do it " +
				"again, or restore what was changed first"}
	}),
	each(closed),
	each(busy),
	each(func(e *ops.RequestError) Hint { return Hint{e.Hint, e.Hint} }),
	each(func(e *search.QueryError) Hint {
		return Hint{cmp.Or(fields[e.Field], "see the schema of grep_transcripts"),
			"an expression is RE2 (github.com/google/re2/wiki/Syntax); without --regex the words are looked " +
				"for as they are"}
	}),
	each(func(e *share.StopError) Hint {
		then := "look at the remote, then: dream-mcp share --now"
		if strings.Contains(e.Why, "dream-mcp share ") {
			then = "run what the error names"
		}
		return Hint{Person: "the memory here and the remote are as they were; " + then}
	}),
	each(func(*share.GitError) Hint {
		return Hint{Person: "git must reach the remote without a prompt: try git ls-remote, then do it again. " +
			"What changed here is kept"}
	}),
	is(Hint{Model: "call it again if it is still needed", Person: "dream-mcp status shows the present state"},
		context.Canceled, context.DeadlineExceeded),
	is(Hint{"finalize_index and write_memory answer the ID that can be undone",
		"a dream or a write comes first: ask your agent for one, or run dream-mcp dream"}, ops.ErrNothing),
	is(Hint{"finalize_index and write_memory answer the ID that can be undone",
		"dream-mcp log lists the IDs of dreams and writes; dream-mcp why FILE lists those that changed a memory"},
		ops.ErrUnknown),
	is(Hint{"nothing has changed; dream_status shows what the last dream did, and in a terminal " +
		"dream-mcp log lists all",
		"dream-mcp log lists the IDs of dreams and writes; dream-mcp why FILE lists those that changed a memory"},
		history.ErrUndone),
	is(Hint{"an ID is SESSION:LINE, as in a89ce8ad-134:72; the header of a listing names the session",
		"dream-mcp search and dream-mcp said print IDs, as in e4f91da5-5d2:6"},
		sessions.ErrNotFound, sessions.ErrAmbiguous),
	is(Hint{"dream_orient opens one; outside a dream, write_memory lands a single memory with its line of the index",
		"dream-mcp status shows whether one is due; dream-mcp dream runs one now"}, ops.ErrNoDream),
	is(Hint{"dream_orient {\"resume\": true} goes on with what was staged; if nothing was, " +
		"dream_orient {} begins another",
		"dream-mcp dream begins another"}, consolidate.ErrExpired, consolidate.ErrLost, lock.ErrGone),
	is(Hint{"a person wanted it to end: say so, and do not begin another by yourself",
		"dream-mcp dream begins another"}, consolidate.ErrStopped),
	is(Hint{"dream_orient without resume begins a new dream", "dream-mcp dream begins a new one"},
		consolidate.ErrNoStage),
	is(Hint{"one memory holds one fact: split it", "one memory holds one fact: split it"}, memory.ErrTooLarge),
	is(Hint{"nothing has changed: a link, a folder, a fifo or a device is where a plain file or folder " +
		"must be; a person must move it away",
		"a link, a folder, a fifo or a device is where a plain file or folder must be: move it away"},
		memory.ErrNotRegular, syscall.ENOTDIR, syscall.EISDIR),
	is(Hint{"nothing has changed: a person must unmount it, or remove the attribute (lsattr shows it, " +
		"chattr -i -a removes it); or leave this file as it is",
		"unmount it, or remove the attribute: lsattr shows it, chattr -i -a removes it"}, memory.ErrFixed),
	is(Hint{"this user may not read or write the memory directory, or the state folder: a person must " +
		"fix its permissions",
		"look at the permissions of that path; dream-mcp help lists the flags that choose other folders"},
		fs.ErrPermission, syscall.EROFS, state.ErrReadOnly),
	is(Hint{"the disk is full; nothing has changed: free some space and call again",
		"free some space on that disk, then do it again"}, syscall.ENOSPC),
	is(Hint{"nothing has changed: call again in a moment", "try again in a moment"}, state.ErrBusy),
	is(Hint{"nothing has changed: a person must look: dream-mcp doctor, in a terminal, says what is " +
		"wrong with the database, and what to do",
		"dream-mcp doctor says what is wrong with the database, and what to do"},
		state.ErrDamaged, state.ErrForeign, state.ErrNewer, state.ErrReplaced),
}

// each returns a row for the errors of one type.
func each[E error](hint func(E) Hint) func(error) (Hint, bool) {
	return func(err error) (Hint, bool) {
		if e, ok := errors.AsType[E](err); ok {
			return hint(e), true
		}
		return Hint{}, false
	}
}

// is returns a row for some errors.
func is(hint Hint, errs ...error) func(error) (Hint, bool) {
	return func(err error) (Hint, bool) {
		for _, target := range errs {
			if errors.Is(err, target) {
				return hint, true
			}
		}
		return Hint{}, false
	}
}

// fields say how to correct a field of a search.
var fields = map[string]string{
	"pattern":  `an expression is RE2, without lookaround; without "regex" a pattern is text as it is`,
	"patterns": "ask for the rest in another call",
	"query":    "a question in a few words; a pattern finds text as it is",
	"session":  "dream_orient and a listing name the sessions; leave it out to look at all",
	"cursor":   "call without cursor: it begins again",
}

func busy(e *lock.BusyError) Hint {
	switch {
	case e.Host:
		return Hint{"wait for it to end, at most an hour; nothing of ours was started",
			"wait for Claude Code's own dream to end, at most an hour; dream-mcp status shows it"}
	case e.Moment:
		return Hint{"call again in a moment", "try again in a moment"}
	}
	return Hint{"wait for that dream to end; dream_status shows it, and a person can end it with: " +
		"dream-mcp dream --stop",
		"wait for that dream to end, or end it: dream-mcp dream --stop"}
}

func closed(e *consolidate.ClosedError) Hint {
	h := Hint{Person: "dream-mcp status shows what is missing"}
	switch {
	case e.MemoryOff:
		h.Model = "memory itself is switched off, and nothing opens this gate; only the person can switch " +
			"it on, in that setting"
	case e.Gate.Name == "enabled":
		h.Model = "this is the person's setting: dream_orient {\"force\": true} opens it once they ask " +
			"for the prompt dream " +
			"on this connection (in Claude Code /mcp__dream__dream), or agree where the client can ask them; " +
			"or they run, in a terminal: dream-mcp mode suggest"
	case e.Waits:
		return Hint{"the person answers that dream first: dream-mcp review, in a terminal, shows it",
			"dream-mcp review shows it, and asks whether it lands"}
	case e.Gate.Name == "lock":
		h.Model = "wait until the lock is free; dream_status shows who holds it"
	default:
		h.Model = "no dream is due; where a person asked for one: dream_orient {\"force\": true}"
	}
	return h
}
