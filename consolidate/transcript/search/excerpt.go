package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
)

// wordEdge is how far, in runes, a cut gives way so as not to go through a word.
const wordEdge = 20

// ellipsis marks where an utterance goes on.
const ellipsis = "…"

var (
	emptyLines    = lazy.New(`\n[ \t]*\n[ \t\n]*\n`)
	trailingSpace = lazy.New(`[ \t]+\n`)
)

// excerpt cuts a text around a match: so many runes on each side, and of a match that is longer than
// both together, as many of its beginning. Lines stay lines, since code is read by them; spaces at
// their ends and more than one empty line at once are left out.
func excerpt(text string, start, end, context int) (before, match, after string) {
	before, cut := firstRunes(text[:start], context, true)
	before = compact(before)
	if cut {
		before = ellipsis + strings.TrimLeft(before, "\n")
	} else {
		before = strings.TrimLeft(before, " \t\n")
	}
	match, cut = firstRunes(text[start:end], 2*context, false)
	if cut {
		return before, compact(match) + ellipsis, ""
	}
	match = said.Visible(match)
	after, cut = firstRunes(text[end:], context, false)
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

// firstRunes returns the first n runes of a text, or fewer where a word would be cut, and whether there are more; of last,
// the last ones.
func firstRunes(text string, n int, last bool) (string, bool) {
	piece, room := text, utf8.UTFMax*(n+1)
	switch {
	case len(text) <= room:
	case last:
		piece = text[len(text)-room:]
	default:
		piece = text[:room]
	}
	runes := []rune(piece)
	if len(runes) <= n {
		return text, false
	}
	if last {
		slices.Reverse(runes)
	}
	runes = runes[:n]
	for i := range min(wordEdge, n/2) {
		if unicode.IsSpace(runes[n-1-i]) {
			runes = runes[:n-1-i]
			break
		}
	}
	if last {
		slices.Reverse(runes)
	}
	return string(runes), true
}
