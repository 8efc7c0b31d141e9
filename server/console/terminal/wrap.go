package terminal

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/server/settings"
)

// TextWidth is the width of help and of other fixed texts.
const TextWidth = 80

// Width returns the width of the terminal that is written to, or 0 if the output is not one.
func Width(out io.Writer) int {
	if !Is(out) {
		return 0
	}
	width, _, err := term.GetSize(int(File(out).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Wrap breaks the lines of a text between words so that they have at most width cells; 0 means no limit. A word is
// never broken: a path or an ID can be copied. A line continues below its text: the indent, a label and two spaces are
// left blank. Lines of a diff stay as they are.
func Wrap(text string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if ansi.StringWidth(line) > width && !isDiffLine(line) {
			line = WrapLine(line, width, strings.Repeat(" ", min(hang(ansi.Strip(line)), width/2)))
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// WrapLine breaks a line between words. Each row after the first begins with indent.
func WrapLine(line string, width int, indent string) string {
	var b strings.Builder
	at, fresh := 0, true // the cells of the row so far; whether it has no word yet
	for word := range strings.SplitSeq(line, " ") {
		cells := ansi.StringWidth(word)
		if !fresh && at+1+cells > width && at > len(indent) {
			b.WriteString("\n" + indent)
			at, fresh = len(indent), true
			if cells == 0 {
				continue
			}
		}
		if !fresh {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, fresh = at+cells, false
	}
	return b.String()
}

// maxLabel bounds the column at which the text of a line may begin after its label.
const maxLabel = 24

// hang returns the column at which a line continues.
func hang(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.Index(line[indent:], "  "); gap > 0 {
		rest := strings.TrimLeft(line[indent+gap:], " ")
		if column := ansi.StringWidth(line[:len(line)-len(rest)]); column <= maxLabel {
			return column
		}
	}
	return indent
}

func isDiffLine(line string) bool {
	colour := DiffColour(ansi.Strip(line))
	return colour != "" && colour != Bold
}

// Tilde replaces the home directory at the beginning of each path in a text by ~.
func Tilde(text string) string {
	home := settings.Process().Home
	if len(home) < 2 {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(home)+string(os.PathSeparator), "~"+string(os.PathSeparator))
}

// OneLine returns a text as one line with visible characters only.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(said.Visible(s), func(r rune) bool { return r == '\n' || r == '\t' }), "; ")
}
