package rank

import (
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
	stems []string            // by term: what relatives begin with; empty for none
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

var class = func() (class [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			class[c] = small
		case c >= 'A' && c <= 'Z':
			class[c] = large
		case c == '_':
			class[c] = joint
		case c >= utf8.RuneSelf:
			class[c] = high
		}
	}
	return class
}()

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
	var before rune // the dense rune that is directly before
	recomposed := false
	for i := 0; i < len(text); {
		size := 1
		switch class[text[i]] {
		case gap, joint:
			i++ // an identifier does not begin with an underscore
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
						if t, ok := s.pairs[key]; ok {
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
			if c == large {
				i++
			}
		}
		if i-start <= maxWord {
			for _, c := range s.word(text[start:i]) {
				note(c, start, i)
			}
		}
	}
	return f.terms.any()
}

func pairKey(a, b rune) uint64 { return uint64(a)<<32 | uint64(b) }
