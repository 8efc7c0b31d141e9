package console

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate/transcript"
)

// show prints lines of the last answer.
func (s *story) show(what string) error {
	number, expression, narrowed := strings.Cut(what, " ")
	most, numberErr := strconv.Atoi(number)
	wanted, err := regexp.Compile(expression)
	if err := cmp.Or(numberErr, err); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(transcript.Visible(s.answer), s.home, "~"), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return !wanted.MatchString(line) })
	if len(lines) == 0 {
		return fmt.Errorf("no line matches %s: %s", expression, s.answer)
	}
	for _, line := range lines[:min(most, len(lines))] {
		colour := ""
		if s.diff {
			colour = diffColour(line)
		}
		s.quote(line, colour)
	}
	if left := len(lines) - most; left > 0 && narrowed {
		s.quote(fmt.Sprintf("… %d more", left), dim)
	}
	return nil
}

func (s *story) quote(line, colour string) { s.print(colour, s.ink.in(dim, "│")+" ", line) }

// The shape of the page.
const (
	pageWidth = 100
	longest   = 2 // rows of one line
)

// print prints a line in a colour, after a prefix, wrapped between words to at most longest rows.
func (s *story) print(colour, prefix, line string) {
	words := strings.TrimLeft(line, " ")
	indent := prefix + line[:len(line)-len(words)]
	width := pageWidth - ansi.StringWidth(indent) - 2
	rows := strings.Split(ansi.Wrap(words, width, ""), "\n")
	for i, row := range rows[:min(longest, len(rows))] {
		if i > 0 {
			row = "  " + row
		}
		if i == longest-1 && len(rows) > longest {
			row = ansi.Truncate(row, width, "") + " …"
		}
		fmt.Fprintln(s.out, strings.TrimRight(indent+s.ink.in(colour, row), " "))
	}
}
