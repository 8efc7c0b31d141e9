package related

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dream-mcp/memory/text"
)

// The numbers of what is near. minAbout and minBeside are shares of words, as in shares.
//
// They were chosen on what somebody said in 4 real directories and on subjects of commits in 14: 16 of 16 and 7 of 9
// arrows are right when read. In 3 and 14 others 12 of 15 are, and 10 of 12; the three wrong ones were by a URL, which
// is one word since. Of 29 utterances that change a fact of an invented life, 23 name its memory. Beside one of two
// passages on the same thing, whose common value was changed, the other one is among the eight nearest in 42 of 58
// cases, and its file in 52; in other directories in 46 of 78 and in 66. Without a look at values it was 37 and 64 of
// 78 among ten.
const (
	others     = 4    // words that are added to both texts: two short ones are not near by a word or two
	pieceSize  = 4    // characters of a dense script that are a word
	minAbout   = 0.17 // of what somebody said and a passage
	minBeside  = 0.05 // of two passages
	nearlySame = 0.8  // of the nearest memory's share: the next one is named, too
)

// A Hit is a passage that a text touches.
type Hit struct {
	Passage
	Score  float64 // the share of their words that they have in common, from 0 to 1
	Shared []Term  // what they share, the rarest first
}

// A Term is a word that a text and a passage share, as its stem.
type Term struct {
	Text   string
	Files  int     // that hold it
	Weight float64 // from 0 to 1: 1 if one file of many holds it
}

// word is a word of a text.
type word struct {
	terms  []int32 // that the index has, the rarest first
	weight float64 // that of the rarest; 1 if no memory has the word
}

// words returns the words of a text, each once, however it is written. With wholes a path or URL is one word: what
// people work on is named all day, and its parts say little about what they want.
func (x *Index) words(s string, wholes bool) []word {
	w := words{x: x, known: map[int32]bool{}, unknown: map[string]bool{}}
	for f := range strings.FieldsSeq(s) {
		if wholes && strings.ContainsAny(strings.Trim(f, "/_"), "/_") {
			w.add(f, x.lookUpWhole(f))
			continue
		}
		text.EachWord(f, func(from, to int, dense bool) {
			size := to - from
			if dense {
				size = pieceSize
			}
			for piece := range slices.Chunk([]rune(f[from:to]), size) {
				if known, all := x.lookUp(string(piece)); all > 0 {
					w.add(string(piece), known)
				}
			}
		})
	}
	return w.all
}

// words collects the words of a text.
type words struct {
	x       *Index
	all     []word
	known   map[int32]bool // by the rarest term
	unknown map[string]bool
}

func (w *words) add(s string, terms []int32) {
	if len(terms) == 0 {
		if !w.unknown[s] {
			w.all = append(w.all, word{weight: 1})
		}
		w.unknown[s] = true
		return
	}
	slices.SortFunc(terms, func(a, b int32) int { return cmp.Or(cmp.Compare(w.x.rarity(b), w.x.rarity(a)), cmp.Compare(a, b)) })
	if !w.known[terms[0]] {
		w.all = append(w.all, word{terms, w.x.rarity(terms[0])})
	}
	w.known[terms[0]] = true
}

// shares returns for each passage how much of their words it and a text have in common, from 0 to 1: 0 if it is one
// word.
func (x *Index) shares(words []word) []float64 {
	shares, last, several := make([]float64, len(x.Passages)), make([]int, len(x.Passages)), make([]bool, len(x.Passages))
	all := 0.0
	for i, w := range words {
		all += w.weight
		for _, t := range w.terms {
			rarity := x.rarity(t)
			for _, p := range x.passages.holders(t) {
				if last[p] != i+1 {
					several[p] = last[p] > 0
					last[p] = i + 1
					shares[p] += rarity
				}
			}
		}
	}
	for p := range shares {
		if !several[p] {
			shares[p] = 0
		}
		shares[p] /= math.Sqrt((all + others) * float64(x.lengths[p]+others))
	}
	return shares
}

// shared returns the terms of words that a passage holds, the rarest first.
func (x *Index) shared(words []word, passage int) (shared []Term) {
	for _, w := range words {
		for _, t := range w.terms {
			if x.passages.holds(t, int32(passage)) {
				shared = append(shared, Term{x.terms[t], len(x.whole.holders(t)), x.rarity(t)})
				break
			}
		}
	}
	slices.SortStableFunc(shared, func(a, b Term) int { return cmp.Compare(b.Weight, a.Weight) })
	return shared
}

// value returns the passage of the body that shares most words with a text, where p is the description of a memory, and
// else p: a description says what a memory is about, and its body what holds.
func (x *Index) value(p int, words []word) Passage {
	best, most := p, -1.0
	for i := p + 1; x.Passages[p].described && i < len(x.Passages) && x.fileOf[i] == x.fileOf[p]; i++ {
		weight := 0.0
		for _, t := range x.shared(words, i) {
			weight += t.Weight
		}
		if weight > most {
			best, most = i, weight
		}
	}
	return x.Passages[best]
}

// About returns the passages that somebody's words are about: of the nearest memory, and of the next if it is nearly as
// near. skip says which files are not asked for; nil: none.
func (x *Index) About(s string, skip func(file string) bool) (about []Passage) {
	words := x.words(s, true)
	shares := x.shares(words)
	var best []int // of each memory
	for p := range shares {
		switch last := len(best) - 1; {
		case shares[p] < minAbout || skip != nil && skip(x.Passages[p].File):
		case last >= 0 && x.fileOf[best[last]] == x.fileOf[p]:
			if shares[p] > shares[best[last]] {
				best[last] = p
			}
		default:
			best = append(best, p)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	for _, p := range best[:min(len(best), 2)] {
		if shares[p] >= nearlySame*shares[best[0]] {
			about = append(about, x.value(p, words))
		}
	}
	return about
}

// rarity returns the weight of a term: 1 if one of many memories holds it and nobody said it twice, 0 if all hold it.
func (x *Index) rarity(term int32) float64 {
	return text.Rarity(len(x.whole.holders(term)), len(x.files)) / math.Cbrt(float64(max(1, x.said[term].Load())))
}
