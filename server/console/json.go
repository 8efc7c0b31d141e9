package console

import (
	"bytes"
	"encoding/json"

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
