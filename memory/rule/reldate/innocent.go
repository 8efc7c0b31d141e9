package reldate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/rule/prose"
)

// Bounds, in bytes, of what is looked at right before and right after a phrase, and below a row.
const (
	maxNear = 64
	maxRow  = 1 << 10
)

// longest returns the hit of the longest of the phrases at text[at:]. Where it is innocent ok is false, and
// To is after it all the same: what is inside it is not a hit either.
func (p *scan) longest(candidates []*phrase, at int) (hit Hit, ok bool) {
	var best *phrase
	var number int
	for _, c := range candidates {
		if end, n, found := c.match(p.text, at); found && end > hit.To && p.isWords(c, at, end) {
			best, number, hit.To = c, n, end
		}
	}
	if best == nil {
		return Hit{}, false
	}
	if p.isMasked(at, hit.To) || p.isInnocent(best, at, hit.To) {
		return hit, false
	}
	s := p.around(at, hit.To)
	return Hit{
		From: at, To: hit.To, Text: p.text[at:hit.To], Sentence: strings.TrimSpace(p.text[s.from:s.to]),
		Sure: !best.flags["?"] && !best.flags["~"], when: best.when(number),
	}, true
}

// isWords reports whether the phrase is whole words there, of its language.
func (p *scan) isWords(c *phrase, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(p.text[:from])
	after, _ := utf8.DecodeRuneInString(p.text[to:])
	switch c.name {
	case "zh", "ja":
		// Words that both write the same are Japanese where there is kana.
		if c.name == "zh" && p.around(from, to).kana {
			return false
		}
		first, _ := utf8.DecodeRuneInString(p.text[from:])
		return isWide(first) || !isWordRune(before) || isWide(before)
	case "ko":
		return !isWordRune(before) && endsKorean.MatchString(p.text[to:min(len(p.text), to+maxNear)])
	}
	if isWordRune(before) && !isWide(before) || isWordRune(after) && !isWide(after) {
		return false
	}
	return !c.flags["lang"] || p.around(from, to).isIn(c.language)
}

// isIn reports whether a sentence has more words of a language than of those it is taken for.
func (s *sentence) isIn(l *language) bool {
	n := 0
	for word := range strings.FieldsFuncSeq(s.lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if l.words[word] {
			n++
		} else if l.others[word] {
			n--
		}
	}
	return n > 0
}

// endsKorean matches the end of a Korean noun: nothing, or a particle within one word. What else follows makes another word
// of it.
var endsKorean = regexp.MustCompile(`^(?:에서야|부터는|까지는|까지도|중으로|이라도|말까지|입니다|이었다|에는|에도|에만|에야|에서|으로|부터|까지|자로|중에|내로|처럼|보다|이나|라도|아침|오전|오후|저녁|새벽|초에|말에` +
	`|이다|였다|이며|이고|하루|자정|은|는|이|가|을|를|에|의|도|만|과|와|로|자|쯤|경|중|내|나|날|밤|초|말|고|한|분)?(?:[^\pL\pN\pM_]|$)`)

// isInnocent reports whether a phrase does not name a day of its own there.
func (p *scan) isInnocent(c *phrase, from, to int) bool {
	s := p.around(from, to)
	before, after := lower(p.text[max(s.from, from-maxNear):from]), lower(p.text[to:min(s.to, to+maxNear)])
	switch l := c.language; {
	case s.dated, s.isGeneric(l), l.holds("describes", strings.TrimLeft(s.lower, "-+*#>0123456789. \t")),
		l.holds("before", before), c.notPrior(before), l.holds("after", after), c.notNext(after),
		c.flags["past"] && !s.isPast(l), strings.HasPrefix(after, "'s ") && !l.past.MatchString(s.lower),
		c.flags["label"] && !label.MatchString(after),
		c.next != nil && !endsClause(after) && !c.next(after),
		c.flags["free"] && !l.holds("free", before):
		return true
	}
	return p.isJoined(from, to) || p.isQuoted(from, to) || p.isQuotedOrCell(from, to)
}

// isGeneric reports whether the sentence is about every day, or about the words themselves.
func (s *sentence) isGeneric(l *language) bool {
	generic, known := s.generic[l]
	if !known {
		generic = l.holds("generic", s.lower)
		s.generic[l] = generic
	}
	return generic
}

// isPast reports whether a sentence says what happened: not what holds now, and not what holds if something
// happens.
func (s *sentence) isPast(l *language) bool {
	if l.name == "en" && conditional(s.lower) {
		return false
	}
	return l.past.MatchString(s.lower) || l.name == "en" && hasPreterite(s.lower)
}

func conditional(lower string) bool {
	return strings.HasPrefix(strings.TrimLeft(lower, "-*> "), "if ") || strings.Contains(lower, " if ")
}

// hasPreterite reports whether English words have one in "ed" that is not a participle after "is" and the like.
func hasPreterite(lower string) bool {
	before := ""
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) {
		if strings.HasSuffix(word, "ed") && len(word) > 4 && !strings.ContainsAny(word, "-") && !strings.HasSuffix(before, "n't") && !participleAfter[before] {
			return true
		}
		before = word
	}
	return false
}

var participleAfter = prose.Set("is are be been being gets get getting a an the any some no not of with without as its their our and per each every by for in on when once still already must")

// label matches what makes the phrase before it a label: "Next session: …".
var label = regexp.MustCompile(`^[ *_]*(?:[:—–]|- )`)

// endsClause reports whether nothing, a space or a mark follows.
func endsClause(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || !isWordRune(r)
}

// isWordRune reports whether a rune can be part of a word or a number.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M))
}

// isWide reports whether a rune is of a script that puts no spaces between words, or of Hangul.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
