package reldate

import (
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
	"dream-mcp/memory/text"
)

// A phrase is part of an identifier, a path, a formula or a placeholder where one of these ends before it, or begins
// after it.
var (
	joinsBefore = lazy.New(`(?:[/\\@$=+·{%&]|[^\s\x{fffd}][-.#:]|[^\s]\s*-|[=<+/] {1,8})$`)
	joinsAfter  = lazy.New(`^(?:[/\\=+·}_%@]| ?\((?:(?:19|20)\d\d|\p{Lu}\pL|\d{1,2}[月월])|[-.:][[:word:]]| {0,8}(?:[+−-] ?\d|[<=][ =<]*\S|/))`)
)

func (p *scan) isJoined(from, to int) bool {
	return joinsBefore.MatchString(p.text[max(0, from-12):from]) || joinsAfter.MatchString(p.text[to:min(len(p.text), to+12)]) ||
		strings.HasPrefix(p.text[to:], "(") && isASCIILetter(p.text[to-1])
}

// quotation matches what is in quotation marks; a single one is an apostrophe within a word.
var quotation = lazy.New(`"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|»[^«]*«|‹[^›]*›|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|【[^】]*】|＂[^＂]*＂` +
	`|(?:^|[^\pL\pN\pM_])'[^']*'(?:$|[^\pL\pN\pM_]|\p{Han}|\p{Hangul}|\p{Hiragana}|\p{Katakana})`)

// isQuoted reports whether the phrase is in quotation marks, closed in the same sentence: it names a thing of
// a screen, or it was said by somebody, then.
func (p *scan) isQuoted(from, to int) bool {
	s := p.around(from, to)
	return slices.ContainsFunc(quotation.FindAllStringIndex(p.text[s.from:s.to], -1), func(m []int) bool {
		return s.from+m[0] <= from && to <= s.from+m[1]
	})
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

// tableHead matches the rule below the head of a table.
var tableHead = lazy.New(`^[ \t]*\|[ \t|:-]*-[ \t|:-]*(?:[\r\n]|$)`)

// isQuotedOrCell reports whether the phrase is in a line of a quotation, is a whole cell of a table, or is in its head.
func (p *scan) isQuotedOrCell(from, to int) bool {
	start, end := text.Block(p.text, from)
	if strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), ">") {
		return true
	}
	if !strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), "|") || to > end {
		return false
	}
	left, right := strings.TrimRight(p.text[start:from], " *_"), strings.TrimLeft(p.text[to:end], " *_")
	return strings.HasSuffix(left, "|") && strings.HasPrefix(right, "|") || tableHead.MatchString(p.text[end:min(len(p.text), end+maxRow)])
}
