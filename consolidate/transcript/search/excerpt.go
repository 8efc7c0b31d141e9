package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/pasted"
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
	text, start, end := s.masked(u.Text, start, end)
	if context <= DefaultContext && strings.Contains(text, "\n") {
		text, start, end = folded(u.Speaker, text, start, end)
	}
	h.Before, h.Match, h.After = excerpt(text, start, end, context)
	h.Text, h.CWD, h.Branch, h.UUID = "", said.Visible(u.CWD), said.Visible(u.Branch), said.Visible(u.UUID)
	return h
}

// maxJudged is how many bytes of a text, at its beginning and at its end, are judged: what is between counts as pasted.
const maxJudged = 8 << 10

// maxFenced is how many lines a block of code has that is not folded.
const maxFenced = 3

// lineOf returns the lines of a match.
func lineOf(text string, start, end int) string {
	start = strings.LastIndexByte(text[:start], '\n') + 1
	if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
		return text[start : end+n]
	}
	return text[start:]
}

// folded returns a text with each log and each block that was pasted as its number of lines, followed by the lines of
// the match where that is in it, and where the match is then.
func folded(speaker said.Speaker, text string, start, end int) (string, int, int) {
	lines := strings.SplitAfter(text, "\n")
	bare := make([]string, len(lines))
	for i, line := range lines {
		bare[i] = strings.TrimSuffix(line, "\n")
	}
	what := "pasted"
	if speaker == said.Tool {
		what = "log"
	}
	var b strings.Builder
	from, to := start, end
	kinds := pasted.Lines(bare, maxJudged)
	isPasted := func(i int) bool { return kinds[i].Logged || kinds[i].Fenced > maxFenced }
	at := 0 // where a line begins in the text
	for i, line := range lines {
		if isPasted(i) && (i == 0 || !isPasted(i-1)) {
			n := i
			for n < len(lines) && isPasted(n) {
				n++
			}
			fmt.Fprintf(&b, "[%s: %d lines]\n", what, n-i)
		}
		if !isPasted(i) || at < max(end, start+1) && at+len(line) > start {
			if at <= start {
				from = b.Len() + start - at
			}
			if at < end {
				to = b.Len() + end - at
			}
			b.WriteString(line)
		}
		at += len(line)
	}
	return b.String(), from, to
}

// masked returns what may be shown of a text, and where a part of it is then.
func (s *Store) masked(text string, start, end int) (string, int, int) {
	if s.Mask == nil {
		return text, start, end
	}
	return s.Mask(text, start, end)
}

func compact(text string) string {
	text = trailingSpace.ReplaceAllString(said.Visible(text), "\n")
	return emptyLines.ReplaceAllString(text, "\n\n")
}

// firstRunes returns the first n runes of a text, or fewer where a word would be cut, and whether there are more; of
// last, the last ones.
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
