package rank

import (
	"unicode/utf8"

	"dream-mcp/memory/text"
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
	lang  *text.Language
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
	cache map[string][]credit
}

func newScanner(l *lexis) scanner { return scanner{lexis: l, cache: map[string][]credit{}} }

// scan counts the terms in text and reports whether there are any.
func (s *scanner) scan(said string, f *found) bool {
	last, lastEnd := uint8(maxTerms), 0
	note := func(c credit, start, end int) {
		f.counts[c.term] = uint8(min(255, int(f.counts[c.term])+int(c.worth)))
		f.terms.add(int(c.term))
		if last+1 == c.term && start-lastEnd <= near {
			f.ordered.add(int(c.term))
		}
		last, lastEnd = c.term, end
	}
	if len(s.pairs) > 0 { // else stem does it, word by word
		said = text.Composed(said)
	}
	text.EachWord(said, func(start, end int, dense bool) {
		switch {
		case dense && len(s.pairs) > 0:
			var before rune
			for i, r := range said[start:end] {
				for _, key := range [2]uint64{pairKey(before, r), pairKey(0, r)} {
					if t, ok := s.pairs[key]; ok {
						note(credit{t, whole}, start+i, start+i+utf8.RuneLen(r))
					}
				}
				before = r
			}
		case !dense && end-start <= maxWord:
			for _, c := range s.word(said[start:end]) {
				note(c, start, end)
			}
		}
	})
	return f.terms.any()
}

func pairKey(a, b rune) uint64 { return uint64(a)<<32 | uint64(b) }
