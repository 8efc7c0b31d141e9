package search

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/said"
)

// wordEdge is how far, in runes, a cut gives way so as not to go through a word.
const wordEdge = 20

// ellipsis stands where an utterance goes on.
const ellipsis = "…"

var (
	emptyLines    = regexp.MustCompile(`\n[ \t]*\n[ \t\n]*\n`)
	trailingSpace = regexp.MustCompile(`[ \t]+\n`)
)

// excerpt cuts a text around a match: so many runes on each side, and of a match that is longer than
// both together, as many of its beginning. Lines stay lines, since code is read by them; spaces at
// their ends and more than one empty line at once are left out.
func excerpt(text string, start, end, context int) (before, match, after string) {
	before, cut := lastRunes(text[:start], context)
	before = compact(before)
	if cut {
		before = ellipsis + strings.TrimLeft(before, "\n")
	} else {
		before = strings.TrimLeft(before, " \t\n")
	}
	match, cut = firstRunes(text[start:end], 2*context)
	if cut {
		return before, compact(match) + ellipsis, ""
	}
	match = said.Visible(match)
	after, cut = firstRunes(text[end:], context)
	if after = strings.TrimRight(compact(after), " \t\n"); cut {
		after += ellipsis
	}
	return before, match, after
}

// hit returns an utterance cut around a match.
func (s *Store) hit(u *said.Utterance, start, end, context int) Hit {
	h := Hit{Utterance: *u}
	h.Before, h.Match, h.After = s.excerpt(u.Text, start, end, context)
	h.Text, h.CWD, h.Branch, h.UUID = "", said.Visible(u.CWD), said.Visible(u.Branch), said.Visible(u.UUID)
	return h
}

// excerpt is excerpt of what may be shown of a text.
func (s *Store) excerpt(text string, start, end, context int) (before, match, after string) {
	if s.Mask != nil {
		text, start, end = s.Mask(text, start, end)
	}
	return excerpt(text, start, end, context)
}

func compact(text string) string {
	text = trailingSpace.ReplaceAllString(said.Visible(text), "\n")
	return emptyLines.ReplaceAllString(text, "\n\n")
}

// firstRunes returns the first n runes of a text, or fewer where a word would be cut, and whether
// there are more.
func firstRunes(text string, n int) (string, bool) {
	end := 0
	for range n {
		if end == len(text) {
			return text, false
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) {
		return text, false
	}
	edge := end
	for range min(wordEdge, n/2) {
		r, size := utf8.DecodeLastRuneInString(text[:edge])
		if unicode.IsSpace(r) {
			return text[:edge-size], true
		}
		edge -= size
	}
	return text[:end], true
}

// lastRunes returns the last n runes of a text, or fewer where a word would be cut, and whether
// there are more.
func lastRunes(text string, n int) (string, bool) {
	start := len(text)
	for range n {
		if start == 0 {
			return text, false
		}
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return text, false
	}
	edge := start
	for range min(wordEdge, n/2) {
		r, size := utf8.DecodeRuneInString(text[edge:])
		edge += size
		if unicode.IsSpace(r) {
			return text[edge:], true
		}
	}
	return text[start:], true
}
