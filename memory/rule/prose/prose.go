// Package prose finds what is not prose in a Markdown text: code, links, comments, tags and addresses.
//
// Every answer takes time in proportion to the text, whatever the text, and the same text gives the same answer. It is
// not a Markdown parser: it reads what memories are made of, and takes the rest for prose.
package prose

import (
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// Span is a part of a text that is not prose.
type Span struct {
	From, To int
	Kind     Kind
	// Of code and of a fence, the inside.
	Inner, InnerTo int
	Language       string // of a fence, in lower case
}

// Kind is what a span is.
type Kind int

const (
	Markup Kind = iota // a link, a comment, a tag, an address, an escaped character
	Code
	Fence
)

// other matches a span that is neither code nor a fence. No part of it goes on past the next mark of its kind, so that
// the time is bounded.
var other = lazy.New(`^(?:\\.|<!--[^<]*?-->|</?[A-Za-z][^<>\n]*>|://[^\s<>"'` + "`" + `)\]}，。、；「」（）]*` +
	`|\[\[[^\[\]\n]*\]\]|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*){0,3}\](?:\([^()\n]*(?:\([^()\n]*\))?[^()\n]*\)|\[[^\[\]\n]*\]))`)

// Bounds, in bytes, of a code span and of other spans.
const (
	maxCode  = 4 << 10
	maxOther = 2 << 10
)

// Spans returns what is not prose, in order.
func Spans(text string) []Span {
	var spans []Span
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "\\`~<:[")
		if i < 0 {
			break
		}
		at += i
		s, ok := Span{From: at}, false
		switch mark := text[at]; mark {
		case '`', '~':
			run := len(text[at:]) - len(strings.TrimLeft(text[at:], string(mark)))
			if ok = run >= 3 && beginsLine(text, at); ok {
				s.readFence(text, run)
			} else if ok = mark == '`' && s.readCode(text, run); !ok {
				at += run
				continue
			}
		default:
			s.To = at + len(other.FindString(text[at:min(len(text), at+maxOther)]))
			ok = s.To > at
		}
		if !ok {
			at++
			continue
		}
		spans, at = append(spans, s), s.To
	}
	return spans
}

// beginsLine reports whether a line begins at a place, an indent and the marks of a quotation aside.
func beginsLine(text string, at int) bool {
	const maxIndent = 64
	before := strings.TrimRight(text[max(0, at-maxIndent):at], " \t>")
	return before == "" && at <= maxIndent || strings.HasSuffix(before, "\n")
}

// readFence reads a fence up to the line that closes it, or to the end of the text.
func (s *Span) readFence(text string, run int) {
	mark := text[s.From : s.From+run]
	s.Kind, s.To = Fence, len(text)
	info, _, _ := strings.Cut(text[s.From+run:], "\n")
	s.Language, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(info)), " ")
	s.Inner = min(len(text), s.From+run+len(info)+1)
	s.InnerTo = s.To
	at := s.Inner
	for line := range strings.Lines(text[at:]) {
		inner := strings.Trim(line, " \t\r\n>")
		if len(inner) >= run && strings.Trim(inner, mark[:1]) == "" {
			s.InnerTo, s.To = at, at+len(strings.TrimRight(line, "\r\n"))
			break
		}
		at += len(line)
	}
}

// readCode reads a code span that a run of backticks begins. An empty line ends it.
func (s *Span) readCode(text string, run int) bool {
	s.Kind, s.Inner = Code, s.From+run
	rest := text[s.Inner:min(len(text), s.Inner+maxCode)]
	for _, empty := range []string{"\n\n", "\n\r\n"} {
		rest, _, _ = strings.Cut(rest, empty)
	}
	end := memory.ClosingRun(rest, 0, run)
	s.InnerTo, s.To = s.Inner+end, s.Inner+end+run
	return end >= 0
}

// At returns the first of the spans, which are in order, that overlaps text[from:to].
func At(spans []Span, from, to int) (Span, bool) {
	i, _ := slices.BinarySearchFunc(spans, from, func(s Span, at int) int {
		if s.To <= at {
			return -1
		}
		return 1
	})
	if i == len(spans) || spans[i].From >= to {
		return Span{}, false
	}
	return spans[i], true
}

// Set returns the words of a text.
func Set(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
