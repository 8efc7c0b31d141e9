package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"dream-mcp/memory/near"
	"dream-mcp/server/console/terminal"
	"dream-mcp/tools/hint"
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
		failure = &Failure{message, hint.For(err).Person, 1}
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
