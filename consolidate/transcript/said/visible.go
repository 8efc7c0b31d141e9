package said

import (
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/visible"
)

// ansi are the sequences by which programs colour a terminal and name its window.
var ansi = lazy.New("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[PX^_][^\x1b\n]*\x1b\\\\|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]")

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Visible returns what was said as it may be shown: sequences for a terminal are removed, a line end of
// any kind is "\n", and what else is hidden has a mark (package visible). Visible of it is the same again.
func Visible(text string) string {
	if strings.ContainsAny(text, "\x1b\u009b") {
		text = ansi.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	}
	if strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
		text = newlines.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	}
	return visible.Text(text)
}
