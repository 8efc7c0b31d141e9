package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"dream-mcp/memory/secret"
)

// printJSON writes v in one line, or indented. What a terminal could obey or hide is escaped, so that
// the value is exact, credentials aside, and the text is harmless.
func (c *Command) printJSON(v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	text, to := b.Bytes(), c.Out
	if masks, ok := to.(*secret.Writer); ok { // each string by itself, so that it stays JSON
		text, to = masks.Allowed.MaskJSON(text), masks.Out
	}
	var out strings.Builder
	for _, r := range string(text) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(to, out.String())
	return err
}
