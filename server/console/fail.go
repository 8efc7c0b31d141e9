package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/near"
	"dream-mcp/server/host"
)

// usageHint is the hint of a UsageError that has no better one.
const usageHint = "dream-mcp help"

// A UsageError says that a command line cannot be understood.
type UsageError struct{ Message, Hint string }

func (e *UsageError) Error() string { return e.Message }

func usage(format string, args ...any) *UsageError {
	return &UsageError{Message: fmt.Sprintf(format, args...), Hint: usageHint}
}

func unknown(kind, word string, known []string) *UsageError {
	e := usage("unknown %s %q", kind, word)
	if meant := near.Word(word, known); meant != "" {
		e.Hint = fmt.Sprintf("did you mean %s? (dream-mcp help lists all)", meant)
	}
	return e
}

// oneOf is unknown for a short list, which the hint names.
func oneOf(kind, word string, known []string) *UsageError {
	e := unknown(kind, word, known)
	e.Hint = "one of " + strings.Join(known, ", ")
	if meant := near.Word(word, known); meant != "" {
		e.Hint = fmt.Sprintf("did you mean %s? It is %s", meant, e.Hint)
	}
	return e
}

// A KeptError says that an undo kept what was changed since.
type KeptError struct {
	Undone string
	Files  int
}

func (e *KeptError) Error() string {
	if e.Files == 1 {
		return "one file was changed since and is kept as it is"
	}
	return fmt.Sprintf("%d files were changed since and are kept as they are", e.Files)
}

// Fail prints an error in two lines, `error:` and `hint:`, and returns the exit code: 0 without an
// error, 2 for a *UsageError, 1 for any other. Findings of a lint were printed before.
func Fail(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*foundError](err); ok {
		return 1
	}
	fmt.Fprintf(stderr, "error: %s\nhint: %s\n", oneLine(err.Error()), oneLine(hint(err)))
	if _, ok := errors.AsType[*UsageError](err); ok {
		return 2
	}
	return 1
}

// hint says what a person can do next.
func hint(err error) string {
	var (
		misused *UsageError
		kept    *KeptError
		sick    *FindingsError
		story   *storyError
		busy    *lock.BusyError
		broken  *store.BrokenError
		half    *store.HalfError
		request *store.RequestError
		placed  *installError
		mode    *ModeError
		moved   *landing.ConflictError
		part    *store.PartError
	)
	switch {
	case errors.As(err, &misused):
		return misused.Hint
	case errors.As(err, &placed):
		return placed.hint()
	case errors.Is(err, host.ErrNoProject):
		return "go to the folder that you work in, or name it: --project DIR; --memory-dir DIR is a memory without a project"
	case errors.As(err, &mode):
		return "what is named in the brackets overrides config.json: change it there; dream-mcp doctor shows what is ignored"
	case errors.As(err, &kept):
		return "dream-mcp diff " + kept.Undone + " shows what it changed; dream-mcp restore FILE --at " + kept.Undone + " brings a whole file back as it was before"
	case errors.As(err, &sick) && sick.Fixable > 0:
		return fmt.Sprintf("dream-mcp doctor --fix fixes %d of them, without loss", sick.Fixable)
	case errors.As(err, &sick):
		return "the lines marked ! above say what to do; doctor --fix does not decide them for you"
	case errors.As(err, &story):
		return "dream-mcp demo --keep keeps its folder for you to look at"
	case errors.As(err, &busy) && busy.Moment:
		return "try again in a moment"
	case errors.As(err, &busy) && busy.Native:
		return "wait for Claude Code's own dream to end, at most an hour; dream-mcp status shows it"
	case errors.As(err, &busy):
		return "wait for that dream to end, or end it: dream-mcp stop"
	case errors.As(err, &broken):
		return "dream-mcp doctor shows what is missing, and what to do"
	case errors.As(err, &half):
		return "free the disk, fix its permissions, or move away what is in the place of a file; dream-mcp status then completes the commit"
	case errors.As(err, &moved):
		return "nothing was overwritten. dream-mcp diff and dream-mcp review show how things are now: do it again, or restore what was changed first"
	case errors.As(err, &part) && part.ID != "":
		return "look at the file as it is now; dream-mcp undo " + part.ID + " undoes what has landed"
	case errors.As(err, &part):
		return "look at the file as it is now, and do it again if it is still needed"
	case errors.As(err, &request) && request.Hint != "":
		return request.Hint
	}
	return commonHint(err)
}

// commonHint is the hint of an error of sharing, or of one without a type of its own.
func commonHint(err error) string {
	var stop *share.StopError
	var git *share.GitError
	switch {
	case errors.Is(err, store.ErrNoDream):
		return "dream-mcp status shows the gates; your agent begins a dream with the prompt “dream”"
	case errors.Is(err, store.ErrUnknown), errors.Is(err, history.ErrUndone):
		return "dream-mcp log lists the dreams and their IDs"
	case errors.As(err, &stop):
		return "the memory here and the remote are as they were; look at the remote, then: dream-mcp share --now"
	case errors.As(err, &git):
		return "what changed here is kept, and sent when the remote can be reached: dream-mcp share --now"
	case errors.Is(err, context.Canceled):
		return "it was interrupted; dream-mcp status shows how things are"
	case errors.Is(err, memory.ErrNotRegular), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return "a link, a folder, a fifo or a device is where a plain file or folder must be: move it away"
	case errors.Is(err, syscall.ENOSPC):
		return "free some space on that disk, then do it again"
	case errors.Is(err, fs.ErrPermission):
		return "look at the permissions of that path; dream-mcp help lists the flags that choose other folders"
	}
	return "dream-mcp doctor looks for the cause; dream-mcp help lists verbs and flags"
}

// oneLine makes a text fit into a line of a terminal.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(transcript.Visible(s), func(r rune) bool { return r == '\n' || r == '\t' }), "; ")
}
