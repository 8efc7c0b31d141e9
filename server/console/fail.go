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
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
	"dream-mcp/memory/near"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// usageHint is the default hint of usage.
const usageHint = "dream-mcp help"

// A Failure is an error with its own hint and exit code. One without a message is not printed.
type Failure struct {
	Message, Hint string
	Code          int // 2 for a command line that cannot be understood
}

func (e *Failure) Error() string { return e.Message }

// usage reports a command line that cannot be understood.
func usage(format string, args ...any) *Failure {
	return &Failure{fmt.Sprintf(format, args...), usageHint, 2}
}

func unknown(kind, word string, known []string) *Failure {
	e := usage("unknown %s %q", kind, word)
	if meant := near.Word(word, known); meant != "" {
		e.Hint = fmt.Sprintf("did you mean %s? (dream-mcp help lists all)", meant)
	}
	return e
}

// oneOf is unknown with a hint that lists all known words.
func oneOf(kind, word string, known []string) *Failure {
	e := unknown(kind, word, known)
	e.Hint = "one of " + strings.Join(known, ", ")
	if meant := near.Word(word, known); meant != "" {
		e.Hint = fmt.Sprintf("did you mean %s? It must be %s", meant, e.Hint)
	}
	return e
}

// Fail prints an error as two lines, `error:` and `hint:`, and returns the exit code: 0 for nil, that of a *Failure,
// 1 for any other error.
func Fail(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	failure, ok := errors.AsType[*Failure](err)
	message := err.Error()
	if !ok {
		if errors.Is(err, context.Canceled) {
			message = "interrupted"
		}
		failure = &Failure{message, hint(err), 1}
	}
	if failure.Message != "" {
		text := fmt.Sprintf("error: %s\nhint: %s\n", terminal.OneLine(message), terminal.OneLine(failure.Hint))
		if width := terminal.Width(stderr); width > 0 {
			text = terminal.Wrap(terminal.Tilde(text), width)
		}
		io.WriteString(stderr, text)
	}
	return failure.Code
}

// Exit is Fail, but for doctor exit code 1 means findings only, and 2 any other error.
func (c *Command) Exit(stderr io.Writer, err error) int {
	code := Fail(stderr, err)
	if _, own := errors.AsType[*Failure](err); c.Verb == "doctor" && code == 1 && !own {
		return 2
	}
	return code
}

// hint returns what a person can do next: the hint of the first row of hints that matches.
func hint(err error) string {
	for _, row := range hints {
		if h := row(err); h != "" {
			return h
		}
	}
	return "dream-mcp doctor looks for the cause; dream-mcp help lists verbs and flags"
}

var hints = []func(error) string{
	hintFor("go to the folder that you work in, or name it: --project DIR; --memory-dir DIR is a memory without a project", settings.ErrNoProject),
	hintOf(busyHint),
	hintText[*ops.BrokenError]("dream-mcp doctor shows what is missing, and what to do"),
	hintText[*ops.HalfError]("free the disk, fix its permissions, or move away what is in the place of a file; dream-mcp status then completes the commit"),
	hintOf(func(e *ops.ConflictError) string {
		if len(e.Landed.Changes) > 0 {
			return "look at the file as it is now; dream-mcp undo " + e.Landed.ID + " undoes what has landed"
		}
		return "nothing was overwritten. dream-mcp diff and dream-mcp review show the present state: do it again, or restore what was changed first"
	}),
	hintOf(func(e *ops.RequestError) string { return e.Hint }),
	hintFor("dream-mcp status shows whether one is due; dream-mcp dream runs one now", ops.ErrNoDream),
	hintFor("a dream or a write comes first: ask your agent for one, or run dream-mcp dream", ops.ErrNothing),
	hintFor("dream-mcp log lists the IDs of dreams and writes; dream-mcp why FILE lists those that changed a memory", ops.ErrUnknown, history.ErrUndone),
	hintText[*share.StopError]("the memory here and the remote are as they were; look at the remote, then: dream-mcp share --now"),
	hintText[*share.GitError]("git must reach the remote without a prompt: try git ls-remote. What changed here is kept and sent later: dream-mcp share --now"),
	hintText[*search.QueryError]("an expression is RE2 (github.com/google/re2/wiki/Syntax); without --regex the words are looked for as they are"),
	hintFor("dream-mcp search and dream-mcp said print IDs, as in e4f91da5-5d2:6", sessions.ErrNotFound),
	hintFor("dream-mcp status shows the present state", context.Canceled),
	hintFor("run it again and answer the question", terminal.ErrNoAnswer),
	hintFor("a link, a folder, a fifo or a device is where a plain file or folder must be: move it away",
		memory.ErrNotRegular, syscall.ENOTDIR, syscall.EISDIR),
	hintFor("free some space on that disk, then do it again", syscall.ENOSPC),
	hintFor("look at the permissions of that path; dream-mcp help lists the flags that choose other folders", fs.ErrPermission),
}

// hintOf returns a row for the errors of one type. An empty hint leaves the error to later rows.
func hintOf[E error](hint func(E) string) func(error) string {
	return func(err error) string {
		if e, ok := errors.AsType[E](err); ok {
			return hint(e)
		}
		return ""
	}
}

// hintText returns a row for all errors of one type.
func hintText[E error](hint string) func(error) string {
	return hintOf(func(E) string { return hint })
}

// hintFor returns a row for some errors.
func hintFor(hint string, errs ...error) func(error) string {
	return func(err error) string {
		for _, target := range errs {
			if errors.Is(err, target) {
				return hint
			}
		}
		return ""
	}
}

func busyHint(e *lock.BusyError) string {
	switch {
	case e.Moment:
		return "try again in a moment"
	case e.Host:
		return "wait for Claude Code's own dream to end, at most an hour; dream-mcp status shows it"
	}
	return "wait for that dream to end, or end it: dream-mcp dream --stop"
}
