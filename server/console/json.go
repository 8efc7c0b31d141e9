package console

import (
	"bytes"
	"encoding/json"
	"io"

	"dream-mcp/memory/secret"
)

// printJSON writes v in one line, or indented, with its strings as they may be shown.
func (c *Command) printJSON(v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	text, to := b.Bytes(), c.Out
	if shows, ok := to.(*secret.Writer); ok { // each string by itself, so that it stays JSON
		text, to = shows.Allowed.ShowJSON(text, nil), shows.Out
	}
	_, err := to.Write(text)
	return err
}

// answer prints what a verb found: for programs as JSON, in one line or indented, or as text.
func (c *Command) answer(v any, indent string, text func(ink paint) string) error {
	if c.JSON {
		return c.printJSON(v, indent)
	}
	_, err := io.WriteString(c.Out, text(paintFor(c.Out)))
	return err
}

// answerAll is answer for a list, which is a line of JSON for each.
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
