package console

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"dream-mcp/memory/secret"
	"dream-mcp/server/console/terminal"
)

// printJSON prints v as one line, or indented, with credentials in its strings masked.
func (c *Command) printJSON(v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	text, to := b.Bytes(), c.Out
	if shows, ok := to.(*secret.Writer); ok { // mask each string alone, so that it remains JSON
		text, to = shows.Allowed.ShowJSON(text, nil), shows.Out
	}
	_, err := to.Write(text)
	return err
}

// answer prints the result of a verb: v with --json, else text, with ~ for the home.
func (c *Command) answer(v any, indent string, text func(ink terminal.Ink) string) error {
	if c.json {
		return c.printJSON(v, indent)
	}
	return c.print(terminal.Tilde(text(terminal.InkFor(c.Out))))
}

// print prints a text, wrapped between words on a terminal. What a person copies whole is printed by paste.
func (c *Command) print(text string) error { return terminal.Print(c.Out, text) }

func (c *Command) paste(text string) error {
	_, err := io.WriteString(c.Out, text)
	return err
}

// ask prints a question and returns the line that the person types.
func (c *Command) ask(ctx context.Context, question string) (answer string, err error) {
	return terminal.Ask(ctx, c.In, c.Out, question)
}

// working shows on a terminal that a long work goes on, until stop is called.
func (c *Command) working(ctx context.Context, what string) (within context.Context, stop func()) {
	if c.json {
		return ctx, func() {}
	}
	return terminal.Working(ctx, c.Out, what)
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// answerAll is answer for a list: with --json it prints one line for each element.
func answerAll[T any](c *Command, list []T, text func(ink terminal.Ink) string) error {
	if !c.json {
		return c.answer(nil, "", text)
	}
	for _, v := range list {
		if err := c.printJSON(v, ""); err != nil {
			return err
		}
	}
	return nil
}
