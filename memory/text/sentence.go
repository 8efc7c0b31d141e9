package text

import (
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

// Bounds, in bytes, of a block and of a sentence to each side.
const (
	maxBlock    = 4 << 10
	maxSentence = 1 << 10
)

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
		next, _ := utf8.DecodeRuneInString(text[at:])
		return !strings.ContainsRune(closingMarks, next)
	case '」', '』', '”', '’', '）', '》':
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, closingMarks))
		next, _ := utf8.DecodeRuneInString(text[at:])
		return strings.ContainsRune("。！？", last) && !strings.ContainsRune(closingMarks, next)
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

// closingMarks end a quotation. A full stop within it is before them.
const closingMarks = "」』”’）》"

// hasFullStop reports whether a text ends with a full stop that is not one of a number or an abbreviation.
func hasFullStop(text string) bool {
	text = strings.TrimRight(text, "*_)\"'”»")
	word, ok := strings.CutSuffix(text, ".")
	if !ok {
		return strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?")
	}
	return !abbreviation.MatchString(word[strings.LastIndexAny(word, " \t\n(")+1:]) || unit.MatchString(word)
}

// unit matches a text that ends with a quantity: "within 8 s".
var unit = lazy.New(`\d \pL$`)

// abbreviation matches a word that has its full stop for itself: "17. November", "z. B.", "e.g.".
var abbreviation = lazy.New(`^(?:\d{0,2}|\D|\D*\.\D*|(?i:vs|ca|ex|ej|nr|no|dr|mr|st|bzw|approx|usw|resp))$`)

// block matches the beginning of a line that begins a block: an item, a heading, a row, a fence, or nothing.
var block = lazy.New(`^[ \t>]*(?:[\r\n]|$|[-*+#|<]|\d+[.)] |` + "```|~~~)")

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

// Lead returns the paragraph or item that ends with a colon and that the list or the fence at a place belongs to, or
// "".
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
