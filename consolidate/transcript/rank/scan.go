package rank

import (
	"math/bits"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Credits of one occurrence, in quarters: the word itself in any inflexion, or a relative of it.
const (
	whole   = 4
	related = 2
)

// A credit says which term a word stands for, and how much of it.
type credit struct{ term, worth uint8 }

// A lexis is what the scanner looks for. It is built once and then only read.
type lexis struct {
	lang  *language
	forms map[string][]credit // by folded stem
	pairs map[uint64]uint8    // term by two dense runes; the first is 0 for a single one
	gate  [1 << 15 / 64]uint64
	dense [1 << 12 / 64]uint64
	stems []string // by term: what relatives begin with; empty for none
}

// found is what a text held of a query.
type found struct {
	counts  [maxTerms]uint8 // by term, in quarters of an occurrence
	terms   terms
	ordered terms // those that follow the term before them in the query closely
}

// near is how many bytes may stand between two neighbouring terms of the query that count as a
// phrase: "deploy it to the staging".
const near = 16

// A scanner finds a lexis in texts. It remembers the words that it took apart, so it belongs to one worker.
type scanner struct {
	*lexis
	table   *[0x530]rune
	cache   map[string]uint16
	credits [][]credit // the cache's values; the first is empty
}

func newScanner(l *lexis) scanner {
	return scanner{lexis: l, table: latin(), cache: map[string]uint16{}, credits: [][]credit{nil}}
}

// Classes of bytes, so that most of a text costs one look-up a byte.
const (
	gap = iota
	small
	large
	joint // an underscore: within an identifier, between its words
	high  // not ASCII
)

var class, code = func() (class, code [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z':
			class[c], code[c] = small, uint8(c-'a'+1)
		case c >= 'A' && c <= 'Z':
			class[c], code[c] = large, uint8(c-'A'+1)
		case c >= '0' && c <= '9':
			class[c], code[c] = small, 27
		case c == '_':
			class[c] = joint
		case c >= utf8.RuneSelf:
			class[c], code[c] = high, highCode
		}
	}
	return class, code
}()

const highCode = 31 // no letter's code: the rune has to be decoded

// scan counts the terms in text and reports whether there are any.
func (s *scanner) scan(text string, f *found) bool {
	last, lastEnd := uint8(maxTerms), 0
	note := func(c credit, start, end int) {
		f.counts[c.term] = uint8(min(255, int(f.counts[c.term])+int(c.worth)))
		f.terms.add(int(c.term))
		if last+1 == c.term && start-lastEnd <= near {
			f.ordered.add(int(c.term))
		}
		last, lastEnd = c.term, end
	}
	var before rune // the dense rune that stands directly before
	recomposed := false
	for i := 0; i < len(text); {
		size := 1
		switch class[text[i]] {
		case gap, joint:
			i = s.skip(text, i)
			before = 0
			continue
		case high:
			if len(s.pairs) == 0 && text[i] >= 0xE3 && text[i] <= 0xE9 {
				i += 3 // kana, Han: nothing that is looked for
				continue
			}
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if isSplit(r) && !recomposed {
				*f, last, recomposed = found{}, maxTerms, true
				text, i, before = norm.NFC.String(text), 0, 0
				continue
			}
			if isDense(r) {
				if len(s.pairs) > 0 {
					for _, key := range [2]uint64{pairKey(before, r), pairKey(0, r)} {
						if t, ok := s.pair(key); ok {
							note(credit{t, whole}, i, i+size)
						}
					}
				}
				before = r
				i += size
				continue
			}
			before = 0
			if !isWord(r) {
				i += size
				continue
			}
		}
		before = 0
		start := i
		open := s.opens(text, i)
		for i += size; i < len(text); {
			c := class[text[i]]
			if c == small {
				i++
				continue
			}
			if c == gap {
				break
			}
			if c == high {
				r, size := utf8.DecodeRuneInString(text[i:])
				if isDense(r) || !isWord(r) {
					break
				}
				i += size
				continue
			}
			if c == joint {
				i++
			}
			open = open || s.opens(text, i)
			if c == large {
				i++
			}
		}
		if open && i-start <= maxWord {
			for _, c := range s.word(text[start:i]) {
				note(c, start, i)
			}
		}
	}
	return f.terms.any()
}

// skip returns where the next word begins that has to be looked at, from a gap on: one that the gate
// lets in, or that is not ASCII. It looks at three letters wherever they stand, and only then whether a
// word begins there: without a branch for each word a rare
// word is looked for at 530 MB/s in program text, not at 230.
func (s *scanner) skip(text string, i int) int {
	from, key := i, uint(0)
	for ; i < len(text)+2; i++ {
		b := byte(0) // the text's end is a gap
		if i < len(text) {
			b = text[i]
		}
		key = (key<<5 | uint(code[b])) & (1<<15 - 1)
		if s.gate[key>>6]>>(key&63)&1 != 0 && i >= from+2 && begins(text, i-2) {
			return wordStart(text, i-2, from)
		}
		if b >= utf8.RuneSelf {
			return wordStart(text, i, from)
		}
	}
	return len(text)
}

// begins reports whether a word, or one within an identifier, begins at i.
func begins(text string, i int) bool {
	switch c := class[text[i]]; {
	case c == gap || c == joint:
		return false
	case c == large || i == 0:
		return true
	}
	before := class[text[i-1]]
	return before == gap || before == joint
}

// wordStart goes back to where the identifier around i begins, but not beyond from.
func wordStart(text string, i, from int) int {
	for i > from && class[text[i-1]] != gap && class[text[i-1]] != high {
		i--
	}
	for i < len(text) && class[text[i]] == joint {
		i++ // an identifier does not begin with one
	}
	return i
}

// opens reports whether a word that begins at i can be one that is looked for, by a bit for every three
// first letters.
func (s *scanner) opens(text string, i int) bool {
	var key int
	if i+2 < len(text) {
		a, b, c := code[text[i]], code[text[i+1]], code[text[i+2]]
		if a == highCode || b == highCode || c == highCode {
			key = gateKey(s.table, text[i:])
		} else {
			// What follows the end of a short word is not part of its key.
			if b == 0 {
				c = 0
			}
			key = int(a)<<10 | int(b)<<5 | int(c)
		}
	} else {
		key = gateKey(s.table, text[i:])
	}
	return s.gate[key>>6]>>(key&63)&1 != 0
}

// gateKey is five bits for each of the first three letters.
func gateKey(table *[0x530]rune, text string) int {
	key, n := 0, 0
	for _, r := range text {
		if r != utf8.RuneError {
			if r = foldRune(table, r); r == 0 {
				continue // a mark
			}
		}
		c := 0
		switch {
		case r < utf8.RuneSelf:
			c = int(code[r])
		case isWord(r) && !isDense(r):
			c = 28 + int(r%3)
		}
		key = key<<5 | c
		if n++; n == 3 || c == 0 {
			break
		}
	}
	for ; n < 3; n++ {
		key <<= 5
	}
	return key
}

// admit opens the gate for a folded stem. An inflexion changes what follows the third letter; of a
// stem of three, also the third (sky, skies).
func (l *lexis) admit(table *[0x530]rune, stem string) {
	key := gateKey(table, stem)
	if utf8.RuneCountInString(stem) > 3 {
		l.gate[key>>6] |= 1 << (key & 63)
		return
	}
	for c := range 32 {
		k := key&^31 | c
		l.gate[k>>6] |= 1 << (k & 63)
	}
}

// pair returns the term that two dense runes, or a single one, stand for.
func (s *scanner) pair(key uint64) (term uint8, ok bool) {
	if bit := denseBit(key); s.dense[bit>>6]>>(bit&63)&1 == 0 {
		return 0, false
	}
	term, ok = s.pairs[key]
	return term, ok
}

func pairKey(a, b rune) uint64 { return uint64(a)<<32 | uint64(b) }

func denseBit(key uint64) int {
	hi, lo := bits.Mul64(key, 0x9E3779B97F4A7C15)
	return int((hi ^ lo) >> 20 & (1<<12 - 1))
}
