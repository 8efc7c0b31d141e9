package console

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"dream-mcp/server/host"
)

// textWidth is the width of help and of other fixed texts.
const textWidth = 80

// width returns the width of the terminal that is written to, or 0 if the output is not one.
func (c *Command) width() int { return widthOf(c.Out) }

func widthOf(out io.Writer) int {
	if !IsTerminal(out) {
		return 0
	}
	width, _, err := term.GetSize(int(fileOf(out).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// wrap breaks the lines of a text between words so that they have at most width cells; 0 means no limit. A word is never
// broken: a path or an ID can be copied. A line continues below its text: the indent, a label and two spaces are left
// blank. Lines of a diff stay as they are.
func wrap(text string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if ansi.StringWidth(line) > width && !isDiffLine(line) {
			line = wrapLine(line, width, strings.Repeat(" ", min(hang(ansi.Strip(line)), width/2)))
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func wrapLine(line string, width int, indent string) string {
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
	colour := diffColour(ansi.Strip(line))
	return colour != "" && colour != bold
}

// tilde replaces the home directory at the beginning of each path in a text by ~.
func tilde(text string) string {
	home := host.Process().Home
	if len(home) < 2 {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(home)+string(os.PathSeparator), "~"+string(os.PathSeparator))
}
