package terminal

import (
	"strings"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/diff"
)

// PaintDiff colours the lines of a diff, and the words that differ between similar lines, and makes characters visible.
func PaintDiff(text string, ink Ink) string {
	var all []diff.Line
	for line := range strings.Lines(said.Visible(text)) {
		line = strings.TrimSuffix(line, "\n")
		l := diff.Line{Op: diff.Same, Text: line}
		if colour := DiffColour(line); colour == Green || colour == Red {
			l = diff.Line{Op: rune(line[0]), Text: line[1:]}
		}
		all = append(all, l)
	}
	diff.Pair(all)
	var b strings.Builder
	for _, l := range all {
		colour := DiffColour(string(l.Op))
		switch {
		case l.Op == diff.Same:
			b.WriteString(ink.In(DiffColour(l.Text), l.Text))
		case l.Words == nil:
			b.WriteString(ink.In(colour, string(l.Op)+l.Text))
		default:
			b.WriteString(ink.In(colour, string(l.Op)))
		}
		for _, w := range l.Words {
			if w.Changed {
				b.WriteString(ink.In(colour+reverse, w.Text))
			} else {
				b.WriteString(ink.In(colour, w.Text))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// DiffColour returns the colour of a line of a diff, or "".
func DiffColour(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return Bold
	case strings.HasPrefix(line, "# also changed: "):
		return Dim
	case strings.HasPrefix(line, "@@"):
		return Cyan
	case strings.HasPrefix(line, "+"):
		return Green
	case strings.HasPrefix(line, "-"):
		return Red
	}
	return ""
}
