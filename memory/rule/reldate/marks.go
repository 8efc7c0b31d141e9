package reldate

import (
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
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

// quotation matches what is in quotation marks that differ at its end, or in double ones; single ones are apostrophes
// too.
var (
	singles   = lazy.New(`(?:^|[^\pL\pN\pM_])'[^']*'(?:$|[^\pL\pN\pM_]|\p{Han}|\p{Hangul}|\p{Hiragana}|\p{Katakana})`)
	quotation = lazy.New(`"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|»[^«]*«|‹[^›]*›|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|【[^】]*】|＂[^＂]*＂`)
)

// isQuoted reports whether the phrase is in quotation marks that its paragraph closes, or in a block that is quoted: it
// names a thing of a screen, or it was said by somebody, then.
func (p *scan) isQuoted(from, to int) bool {
	start, end := text.Block(p.text, from)
	if strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), ">") {
		return true
	}
	s := p.around(from, to)
	if strings.Count(p.text[start:end], `"`)%2 != 0 { // one is not a quotation mark: which one is not known
		start, end = s.from, s.to
	}
	if q := &p.quoted; q.from != start || q.to != end {
		*q = quotations{start, end, quotation.FindAllStringIndex(p.text[start:end], -1)}
	}
	within := func(pairs [][]int, start int) bool {
		return slices.ContainsFunc(pairs, func(m []int) bool { return start+m[0] <= from && to <= start+m[1] })
	}
	return within(p.quoted.pairs, start) || within(singles.FindAllStringIndex(p.text[s.from:s.to], -1), s.from)
}

// quotations are the quotations of text[from:to].
type quotations struct {
	from, to int
	pairs    [][]int // counted from from
}
