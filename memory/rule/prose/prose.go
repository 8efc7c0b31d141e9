// Package prose finds the parts of a Markdown text that the rules ask for: what is not prose, sentences, blocks and the
// headings above.
//
// Every answer takes time in proportion to the text, whatever the text, and the same text gives the same answer. It is
// not a Markdown parser: it reads what memories are made of, and takes the rest for prose.
package prose

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
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
	Other Kind = iota // a link, a comment, a tag, an address, an escaped character
	Code
	Fence
)

// other matches a span that is neither code nor a fence. No part of it goes on past the next mark of its kind, so that the time is
// bounded.
var other = regexp.MustCompile(`^(?:\\.|<!--[^<]*?-->|</?[A-Za-z][^<>\n]*>|://[^\s<>"'` + "`" + `)\]}，。、；「」（）]*` +
	`|\[\[[^\[\]\n]*\]\]|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*){0,3}\](?:\([^()\n]*(?:\([^()\n]*\))?[^()\n]*\)|\[[^\[\]\n]*\]))`)

// Bounds, in bytes, of a code span, of other spans, and of a block and a sentence to each side.
const (
	maxCode     = 4 << 10
	maxOther    = 2 << 10
	maxBlock    = 4 << 10
	maxSentence = 1 << 10
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

// Sentence returns where the sentence around text[from:to] begins and ends. A list item, a heading and a row of a table
// are one each; a line end within a paragraph ends none.
func Sentence(text string, from, to int) (int, int) {
	start, end := from, to
	for start > max(0, from-maxSentence) && !endsSentence(text, start) {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	for end < min(len(text), to+maxSentence) && !endsSentence(text, end) {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return start, end
}

// Sentences cuts a line into its sentences.
func Sentences(line string) (sentences []string) {
	start := 0
	for at := range line {
		if at > start && endsSentence(line, at) {
			sentences = append(sentences, line[start:at])
			start = at
		}
	}
	return append(sentences, line[start:])
}

// endsSentence reports whether a sentence ends before text[at:].
func endsSentence(text string, at int) bool {
	before := text[max(0, at-maxSentence):at]
	if at == 0 || at == len(text) {
		return true
	}
	r, size := utf8.DecodeLastRuneInString(before)
	switch r {
	case '。', '！', '？', '；':
		return true
	case '\n':
		row := before[:len(before)-1]
		row = row[strings.LastIndexByte(row, '\n')+1:]
		row = strings.TrimLeft(strings.TrimRight(row, "\r"), " \t>")
		return row == "" || row[0] == '#' || row[0] == '|' || beginsBlock(text[at:]) || hasFullStop(row)
	case ' ', '\t':
		return hasFullStop(before[:len(before)-size])
	}
	return false
}

// hasFullStop reports whether a text ends with a full stop that is not one of a number or an abbreviation.
func hasFullStop(text string) bool {
	text = strings.TrimRight(text, "*_)\"'”»")
	word, ok := strings.CutSuffix(text, ".")
	if !ok {
		return strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?")
	}
	return !abbreviation.MatchString(word[strings.LastIndexAny(word, " \t\n(")+1:])
}

// abbreviation matches a word that has its full stop for itself: "17. November", "z. B.", "e.g.".
var abbreviation = regexp.MustCompile(`^(?:\d{0,2}|\D|\D*\.\D*|(?i:vs|ca|ex|ej|nr|no|dr|mr|st|bzw|approx|usw|resp))$`)

// block matches the beginning of a line that begins a block: an item, a heading, a row, a fence, or nothing.
var block = regexp.MustCompile(`^[ \t>]*(?:[\r\n]|$|[-*+#|<]|\d+[.)] |` + "```|~~~)")

func beginsBlock(text string) bool { return block.MatchString(text[:min(len(text), maxBlock)]) }

// Block returns where the paragraph, item, heading or row around a place begins and ends.
func Block(text string, at int) (int, int) {
	start, end := lineStart(text, at), lineEnd(text, at)
	for start > max(0, at-maxBlock) && !beginsBlock(text[start:]) {
		above := lineStart(text, start-1)
		if strings.TrimSpace(text[above:start]) == "" {
			break
		}
		start = above
	}
	if !isHeading(text[start:]) {
		for end < min(len(text), at+maxBlock) && !beginsBlock(text[end:]) {
			end = lineEnd(text, end)
		}
	}
	return start, end
}

// Lead returns the paragraph or item that ends with a colon and that the list or the fence at a place belongs to, or "".
func Lead(text string, at int) string {
	start, _ := Block(text, at)
	if !beginsBlock(text[start:]) {
		return ""
	}
	for start > 0 {
		end := start
		start, _ = Block(text, start-1)
		above := strings.TrimRight(text[start:end], " \t\r\n*_")
		switch {
		case isHeading(above):
			return ""
		case strings.HasSuffix(above, ":"), strings.HasSuffix(above, "："):
			return above
		case !beginsBlock(above) && above == strings.TrimLeft(above, " \t"):
			return ""
		}
	}
	return ""
}

func isHeading(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t>"), "#") }

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the place after the line that a place is in.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// Headings calls yield with each heading above a place, the nearest first.
func Headings(text string, at int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for at = lineEnd(text, at); at > 0; at = lineStart(text, at-1) {
			if line := text[lineStart(text, at-1):at]; isHeading(line) && !yield(line) {
				return
			}
		}
	}
}

// Set returns the words of a text.
func Set(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
