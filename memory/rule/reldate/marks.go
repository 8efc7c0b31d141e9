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

// quotation matches what is in quotation marks; a single one is an apostrophe within a word.
var quotation = lazy.New(`"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|»[^«]*«|‹[^›]*›|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|【[^】]*】|＂[^＂]*＂` +
	`|(?:^|[^\pL\pN\pM_])'[^']*'(?:$|[^\pL\pN\pM_]|\p{Han}|\p{Hangul}|\p{Hiragana}|\p{Katakana})`)

// isQuoted reports whether the phrase is in quotation marks, closed in the same sentence, or in a block that is quoted: it names a
// thing of a screen, or it was said by somebody, then.
func (p *scan) isQuoted(from, to int) bool {
	start, _ := text.Block(p.text, from)
	if strings.HasPrefix(strings.TrimLeft(p.text[start:], " \t"), ">") {
		return true
	}
	s := p.around(from, to)
	return slices.ContainsFunc(quotation.FindAllStringIndex(p.text[s.from:s.to], -1), func(m []int) bool {
		return s.from+m[0] <= from && to <= s.from+m[1]
	})
}
