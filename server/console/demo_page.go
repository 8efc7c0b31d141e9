package console

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate/transcript"
)

// show prints lines of the last answer.
func (s *story) show(what string) error {
	number, rest, _ := strings.Cut(what, " ")
	kind, expression, _ := strings.Cut(rest, " ")
	wanted, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	most, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	shown, left := 0, 0
	for line := range strings.SplitSeq(strings.TrimRight(s.answer, "\n"), "\n") {
		line = strings.ReplaceAll(transcript.Visible(line), s.home, "~")
		switch {
		case !wanted.MatchString(line):
		case shown == most:
			left++
		case s.diff:
			shown++
			s.quote(line, diffColour(line))
		default:
			shown++
			s.quote(line, "")
		}
	}
	if shown == 0 {
		return fmt.Errorf("no line matches %s: %s", expression, s.answer)
	}
	if left > 0 && kind != "" {
		s.quote(fmt.Sprintf("… %d more %s", left, kind), dim)
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
