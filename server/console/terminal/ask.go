package terminal

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"strings"

	"dream-mcp/consolidate/ops"
)

// Print prints a text, wrapped between words on a terminal.
func Print(out io.Writer, text string) error {
	_, err := io.WriteString(out, Wrap(text, Width(out)))
	return err
}

// Interactive reports whether a person types and reads. in is nil unless it is a terminal.
func Interactive(in io.Reader, out io.Writer) bool {
	return in != nil && os.Getenv("TERM") != "dumb" && Is(out)
}

// Ask prints a question and returns the line that the person types. It fails where they end the input or interrupt the
// program.
func Ask(ctx context.Context, in io.Reader, out io.Writer, question string) (answer string, err error) {
	if err := Print(out, question); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(in)
	typed := make(chan bool, 1)
	go func() { typed <- lines.Scan() }() // a read of a terminal cannot be interrupted
	select {
	case more := <-typed:
		if more || lines.Err() != nil {
			return strings.TrimSpace(lines.Text()), lines.Err()
		}
		err = ErrNoAnswer
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return "", cmp.Or(Print(out, "\n"), err)
}

// ErrNoAnswer is the error of Ask where the input ends without an answer.
var ErrNoAnswer = ops.Refuse("no answer, so nothing was done", "run it again and answer the question")
