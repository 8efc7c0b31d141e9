package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dream-mcp/consolidate/transcript"
)

// The shape of the page, in characters.
const (
	pageWidth   = 100
	valueLength = 40 // of an argument's value; the last has what is left of the lines of a question
	askedLines  = 2
)

// teller writes the story. After its first error it is silent.
type teller struct {
	out    io.Writer
	ink    paint
	home   string // shown as ~
	step   string
	number int
	err    error // where the story, or the writing of it, went wrong
}

// fail ends the story.
func (t *teller) fail(format string, args ...any) {
	if t.err == nil {
		t.err = &storyError{t.step, fmt.Sprintf(format, args...)}
	}
}

// must ends the story where what it says does not hold.
func (t *teller) must(holds bool, format string, args ...any) {
	if !holds {
		t.fail(format, args...)
	}
}

// mustSay ends the story where an answer lacks one of some words.
func (t *teller) mustSay(answer string, words ...string) {
	for _, w := range words {
		t.must(strings.Contains(answer, w), "%q is not in the answer: %s", w, answer)
	}
}

func (t *teller) line(s string) {
	if t.err != nil {
		return
	}
	_, t.err = fmt.Fprintln(t.out, strings.TrimRight(s, " "))
}

// heading begins a step of the story.
func (t *teller) heading(s string) {
	t.number++
	t.step = s
	t.line("")
	t.line(t.ink.in(bold, fmt.Sprintf("%d  %s", t.number, s)))
}

// say tells what the step is about.
func (t *teller) say(s string) {
	for _, line := range wrap(s, pageWidth) {
		t.line(t.ink.in(dim, line))
	}
}

// question shows a call, its values and itself cut.
func (t *teller) question(tool string, arguments []argument) {
	parts := make([]string, len(arguments))
	for i, a := range arguments {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(a.value); err != nil {
			t.fail("%s: %v", a.name, err)
		}
		value := strings.TrimSpace(b.String())
		if i < len(arguments)-1 {
			value = clip(value, valueLength)
		}
		parts[i] = a.name + ": " + value
	}
	lines := wrap("→ "+tool+"  "+strings.Join(parts, ", "), pageWidth)
	for i, line := range lines[:min(askedLines, len(lines))] {
		if i > 0 {
			line = "  " + line
		}
		if i == askedLines-1 && len(lines) > askedLines {
			line = clip(line+" …", pageWidth)
		}
		t.line(t.ink.in(cyan, line))
	}
}

// diff shows the lines of a diff that were taken out and put in, below the file's name.
func (t *teller) diff(text string) {
	for line := range strings.Lines(transcript.Visible(text)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- ") {
			t.quote(line, diffColour(line))
		}
	}
}

// refusal shows the two lines with which a refusal begins.
func (t *teller) refusal(text string) {
	reason, rest, _ := strings.Cut(transcript.Visible(text), "\n")
	t.must(strings.HasPrefix(reason, "refused: "), "it is no refusal: %s", text)
	hint, _, _ := strings.Cut(rest, "\n")
	t.quote(reason, red)
	t.quote(clip(hint, pageWidth-4), "")
}

// answer shows the first lines of an answer, or as many as there are, and says how many are left out.
func (t *teller) answer(text string, most int) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), t.home, "~")
	lines := strings.Split(transcript.Visible(text), "\n")
	for _, line := range lines[:min(most, len(lines))] {
		t.quote(line, "")
	}
	if rest := len(lines) - most; rest > 0 {
		t.quote(fmt.Sprintf("… %d more lines", rest), dim)
	}
}

// quote shows a line of an answer, further lines of it indented.
func (t *teller) quote(line, colour string) {
	words := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(words)]
	for i, part := range wrap(words, pageWidth-2-len(indent)) {
		if i > 0 {
			part = "  " + part
		}
		t.line(t.ink.in(dim, "│") + " " + indent + t.ink.in(colour, part))
	}
}

// wrap breaks a line between words, so that none is longer than width, the second and later ones
// indented by two, unless a single word is. An empty line is one line.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	length := 0
	for word := range strings.SplitSeq(s, " ") {
		n := len([]rune(word))
		if length > 0 && length+1+n > width-2 {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}

// clip cuts a text to a number of characters.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
