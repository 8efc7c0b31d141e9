package reldate

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/rule/prose"
)

// A phrase is part of an identifier, a path, a formula or a placeholder where one of these ends before it, or begins
// after it.
var (
	joinsBefore = regexp.MustCompile(`(?:[/\\@$=+·{%&]|[^\s\x{fffd}][-.#:]|[^\s]\s*-|[=<+/] {1,8})$`)
	joinsAfter  = regexp.MustCompile(`^(?:[/\\=+·}_%@]| ?\((?:(?:19|20)\d\d|\p{Lu}\pL|\d{1,2}[月월])|[-.:][[:word:]]| {0,8}(?:[+−-] ?\d|[<=][ =<]*\S|/))`)
)

func (p *scan) isJoined(from, to int) bool {
	return joinsBefore.MatchString(p.text[max(0, from-12):from]) || joinsAfter.MatchString(p.text[to:min(len(p.text), to+12)]) ||
		strings.HasPrefix(p.text[to:], "(") && isASCIILetter(p.text[to-1])
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// quotes are the pairs of marks, each with its closing one.
var quotes = []struct{ open, close string }{
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"»", "«"}, {"‹", "›"}, {"‘", "’"}, {"'", "'"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"〈", "〉"}, {"【", "】"}, {"＂", "＂"},
}

// isQuoted reports whether the phrase is in quotation marks, closed in the same sentence: it names a thing of
// a screen, or it was said by somebody, then.
func (p *scan) isQuoted(from, to int) bool {
	s := p.around(from, to)
	left, right := p.text[s.from:from], p.text[to:s.to]
	for _, q := range quotes {
		open := strings.LastIndex(left, q.open)
		closing := strings.Index(right, q.close)
		if open < 0 || closing < 0 || strings.Contains(left[open+len(q.open):], q.close) {
			continue
		}
		if q.open == q.close && strings.Count(left, q.open)%2 == 0 && q.open != "'" {
			continue
		}
		if q.open == "'" && (isWordRune(lastRune(left[:open])) || isWordRune(firstRune(right[closing+1:])) && !isWide(firstRune(right[closing+1:]))) {
			continue // an apostrophe
		}
		return true
	}
	return false
}

// separators are between names in a list. "And" is not one: "failed yesterday and today" is not a list.
var separators = prose.Set("/ | , 、 ， ; or oder ou o u 或 或者 또는 または か")

// withoutLists returns the hits but for those with only a separator between them: who lists today,
// yesterday and earlier lists names for days.
func withoutLists(text string, hits []Hit) []Hit {
	var kept []Hit
	listed := false
	for i, h := range hits {
		next := i+1 < len(hits) && separators[strings.ToLower(strings.TrimSpace(text[h.To:hits[i+1].From]))]
		if !listed && !next {
			kept = append(kept, h)
		}
		listed = next
	}
	return kept
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// tableHead matches the rule below the head of a table.
var tableHead = regexp.MustCompile(`^[ \t]*\|[ \t|:-]*-[ \t|:-]*(?:[\r\n]|$)`)

// isQuotedOrCell reports whether the phrase is in a line of a quotation, is a whole cell of a table, or is in its head.
func (p *scan) isQuotedOrCell(from, to int) bool {
	start, end := prose.Block(p.text, from)
	if strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), ">") {
		return true
	}
	if !strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), "|") || to > end {
		return false
	}
	left, right := strings.TrimRight(p.text[start:from], " *_"), strings.TrimLeft(p.text[to:end], " *_")
	return strings.HasSuffix(left, "|") && strings.HasPrefix(right, "|") || tableHead.MatchString(p.text[end:min(len(p.text), end+maxRow)])
}
