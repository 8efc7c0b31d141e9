package reldate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// maxNear bounds, in bytes, what is looked at right before and right after a phrase.
const maxNear = 64

// longest returns the hit of the longest of the phrases at text[at:]. Where it is innocent ok is false, and
// To is after it all the same: what is inside it is not a hit either.
func (p *scan) longest(candidates []*phrase, at int) (hit Mention, ok bool) {
	var best *phrase
	for _, c := range candidates {
		if !p.beginsWord(c, at) {
			continue
		}
		if n, when := c.match(p.text[at:]); at+n > max(at, hit.To) && p.endsWord(c, at, at+n) {
			best, hit.To, hit.when = c, at+n, when
		}
	}
	if best == nil || p.isMasked(at, hit.To) || p.isInnocent(best, at, hit.To) {
		return hit, false
	}
	s := p.around(at, hit.To)
	hit.From, hit.Text, hit.Sentence = at, p.text[at:hit.To], strings.TrimSpace(p.text[s.from:s.to])
	return hit, true
}

// beginsWord reports whether a word of the language can begin there.
func (p *scan) beginsWord(c *phrase, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(p.text[:at])
	first, _ := utf8.DecodeRuneInString(p.text[at:])
	return !isWordRune(before) || c.name != "ko" && (text.IsDense(before) || text.IsDense(first))
}

// endsWord reports whether the phrase ends a word there, of its language.
func (p *scan) endsWord(c *phrase, from, to int) bool {
	switch c.name {
	case "zh": // words that Japanese writes the same are Japanese where there is kana
		return !p.around(from, to).kana
	case "ja":
		return true
	case "ko":
		return endsKorean.MatchString(p.text[to:min(len(p.text), to+maxNear)])
	}
	after, _ := utf8.DecodeRuneInString(p.text[to:])
	return !isWordRune(after) || text.IsDense(after)
}

// endsKorean matches the end of a Korean noun: nothing, or a particle within one word. What else follows makes another
// word of it.
var endsKorean = lazy.New(`^(?:에서야|부터는|까지는|까지도|중으로|이라도|말까지|입니다|이었다|에는|에도|에만|에야|에서|으로|부터|까지|자로|중에|내로|처럼|보다|이나|라도|아침|오전|오후|저녁|새벽|초에|말에` +
	`|이다|였다|이며|이고|하루|자정|은|는|이|가|을|를|에|의|도|만|과|와|로|자|쯤|경|중|내|나|날|밤|초|말|고|한|분)?(?:[^\pL\pN\pM_]|$)`)

// isInnocent reports whether a phrase does not name a day of its own there.
func (p *scan) isInnocent(c *phrase, from, to int) bool {
	s := p.around(from, to)
	before, after := lower(p.text[max(s.from, from-maxNear):from]), lower(p.text[to:min(s.to, to+maxNear)])
	switch l := c.language; {
	case s.dated, l.holds("generic", s.lower),
		l.holds("before", before), c.notPrior(before), l.holds("after", after), c.notNext(after),
		strings.HasPrefix(after, "'s ") && l.past != nil && !l.past.MatchString(s.lower),
		c.free && !l.holds("free", before),
		c.ofLanguage && !l.sentence.MatchString(s.lower):
		return true
	}
	return p.isJoined(from, to) || p.isQuoted(from, to)
}

// isWordRune reports whether a rune can be part of a word or a number.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M))
}
