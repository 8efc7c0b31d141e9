package console

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"dream-mcp/memory/secret"
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

// answer prints the result of a verb: v with --json, else text.
func (c *Command) answer(v any, indent string, text func(ink paint) string) error {
	if c.JSON {
		return c.printJSON(v, indent)
	}
	return c.print(text(paintFor(c.Out)))
}

func (c *Command) print(text string) error {
	_, err := io.WriteString(c.Out, text)
	return err
}

// ask prints a question and returns the line that the person types.
func (c *Command) ask(question string) (string, error) {
	if err := c.print(question); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(c.In)
	lines.Scan()
	return strings.TrimSpace(lines.Text()), lines.Err()
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// answerAll is answer for a list: with --json it prints one line for each element.
func answerAll[T any](c *Command, list []T, text func(ink paint) string) error {
	if !c.JSON {
		return c.answer(nil, "", text)
	}
	for _, v := range list {
		if err := c.printJSON(v, ""); err != nil {
			return err
		}
	}
	return nil
}
