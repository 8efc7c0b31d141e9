package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
)

// show prints lines of the last answer.
func (s *story) show(what string) error {
	number, expression, narrowed := strings.Cut(what, " ")
	most, numberErr := strconv.Atoi(number)
	wanted, err := regexp.Compile(expression)
	if err := cmp.Or(numberErr, err); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(said.Visible(s.answer), s.home, "~"), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return !wanted.MatchString(line) })
	if len(lines) == 0 {
		return fmt.Errorf("no line matches %s: %s", expression, s.answer)
	}
	for _, line := range lines[:min(most, len(lines))] {
		if s.forPerson {
			line = withoutCalls(line)
		}
		colour := ""
		if s.diff {
			colour = terminal.DiffColour(line)
		}
		s.quote(line, colour)
	}
	if left := len(lines) - most; left > 0 && narrowed {
		s.quote(fmt.Sprintf("… %d more", left), terminal.Dim)
	}
	return nil
}

// withoutCalls removes from a line what only a model needs: a call, and the arguments of one.
func withoutCalls(line string) string {
	line = regexp.MustCompile(` → [a-z]+_[a-z]+ \{.*`).ReplaceAllString(line, "")
	return regexp.MustCompile(` \{([^{}]|\{[^{}]*\})*\}`).ReplaceAllString(line, "")
}

func (s *story) quote(line, colour string) { s.print(colour, s.ink.In(terminal.Dim, "│")+" ", line) }

// The shape of the page.
const (
	pageRows = 24
	longest  = 2 // rows of one line
)

// print prints a line in a colour, after a prefix, wrapped between words to at most longest rows.
func (s *story) print(colour, prefix, line string) {
	words := strings.TrimLeft(line, " ")
	indent := prefix + line[:len(line)-len(words)]
	width := terminal.TextWidth - ansi.StringWidth(indent) - 2
	rows := strings.Split(terminal.WrapLine(words, width, ""), "\n")
	for i, row := range rows[:min(longest, len(rows))] {
		if i > 0 {
			row = "  " + row
		}
		if i == longest-1 && len(rows) > longest {
			row = ansi.Truncate(row, width, "") + " …"
		}
		s.pages[len(s.pages)-1] += strings.TrimRight(indent+s.ink.In(colour, row), " ") + "\n"
	}
}

// showPages prints the story, and what to type next. A person gets one page after the other, after the index before and
// after the dream.
func (s *story) showPages(ctx context.Context) error {
	next := s.next()
	if !s.forPerson {
		return terminal.Print(s.Out, strings.Join(s.pages, "")+next)
	}
	if len(s.pages) < 2 {
		return nil // it failed before
	}
	last := strings.Replace(s.pages[len(s.pages)-1], fmt.Sprintf("%d  ", s.number), "", 1)
	pages := []string{s.beforeAndAfter(), s.liveAndCause(), last}
	if s.Full {
		pages = append(pages[:1:1], s.pages[1:]...)
	}
	for i, page := range pages {
		if err := terminal.Print(s.Out, fitPage(page, s.ink)); err != nil {
			return err
		}
		if i == len(pages)-1 {
			break
		}
		answer, err := terminal.Ask(ctx, s.In, s.Out, s.ink.In(terminal.Dim, "enter: go on, q: quit ")+"> ")
		if err != nil && !errors.Is(err, terminal.ErrNoAnswer) {
			return err
		}
		if err != nil || strings.HasPrefix(strings.ToLower(answer), "q") {
			break
		}
	}
	return terminal.Print(s.Out, next)
}

// fitPage leaves out the lines in the middle of a page that is longer than a screen.
func fitPage(page string, ink terminal.Ink) string {
	rows := strings.SplitAfter(strings.Trim(page, "\n"), "\n")
	if more := len(rows) - (pageRows - 2); more > 0 {
		const tail = 3
		cut := pageRows - 2 - tail - 1
		rows = slices.Concat(rows[:cut], []string{ink.In(terminal.Dim, fmt.Sprintf("  … %d more lines", len(rows)-cut-tail)) + "\n"}, rows[len(rows)-tail:])
	}
	return strings.Join(rows, "") + "\n"
}

// beforeAndAfter shows the index at the start and at the end of the dream.
func (s *story) beforeAndAfter() string {
	b := terminal.Lines{Ink: s.ink}
	b.Add(true, terminal.Bold, "What a dream does. This is a memory that nobody looked after:")
	for i, index := range s.index {
		if i == 1 {
			b.Add(true, terminal.Bold, "After one dream:")
		}
		for line := range strings.SplitSeq(strings.TrimSpace(index), "\n") {
			b.Add(strings.HasPrefix(line, "- "), []string{terminal.Red, terminal.Green}[i], "  %s", ansi.Truncate(line, terminal.TextWidth-2, "…"))
		}
	}
	b.Add(true, "", "\nA script plays the model; the rest is real.")
	return b.String()
}

// liveAndCause shows the dream while it is open, and below it words of the person and the change that they caused.
func (s *story) liveAndCause() string {
	b := terminal.Lines{Ink: s.ink}
	b.Add(true, terminal.Bold, "While a dream runs, dream-mcp status --watch shows it:")
	const most = 11
	rows := strings.Split(strings.TrimSpace(s.live), "\n")
	for _, row := range rows[:min(most, len(rows))] {
		b.Add(true, "", "  %s", ansi.Truncate(row, terminal.TextWidth-2, "…"))
	}
	b.WriteString("\n" + terminal.Wrap(s.cause, terminal.TextWidth))
	return b.String()
}

// showEdits shows a person the texts that a call replaces, and the source that it names.
func (s *story) showEdits(line string) {
	_, arguments, _ := strings.Cut(line, " ")
	var call struct {
		Edits    []struct{ Old, New string }
		Evidence []string
	}
	if !s.forPerson || json.Unmarshal([]byte(arguments), &call) != nil {
		return
	}
	for _, e := range call.Edits {
		s.quote("- "+e.Old, terminal.Red)
		s.quote("+ "+e.New, terminal.Green)
	}
	if len(call.Evidence) > 0 {
		s.quote("source: "+strings.Join(call.Evidence, ", "), terminal.Dim)
	}
}

// next says which two commands come next.
func (s *story) next() string {
	first := ""
	if install.Temporary(s.Self) {
		first = "go install . && "
	}
	says := "\nNext:\n  " + first + "dream-mcp install       connects the agents that you have\n"
	if s.Keep {
		return says
	}
	return says + "  dream-mcp demo --keep   keeps this sandbox; --full shows every step\n"
}

// enter says how to look around in the sandbox.
func (s *story) enter(system string) string {
	if system == "windows" {
		return fmt.Sprintf("  cd /d %q\n  set USERPROFILE=%s\n  dream-mcp status\n", s.project, s.home)
	}
	return fmt.Sprintf("  cd %s\n  export HOME=%s\n  dream-mcp\n  dream-mcp why use-bun.md\n", install.ShellWords(system, []string{s.project}), install.ShellWords(system, []string{s.home}))
}
