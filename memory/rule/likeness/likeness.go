// Package likeness finds the memories of a directory that say the same, by the phrases that they share.
//
// A phrase is four words in a row, without words such as "the". A phrase or word counts less the more
// memories of the directory have it, so the vocabulary and the forms that a directory shares say nothing.
// Time and memory are linear in the number of memories.
//
// The same memories give the same answer, in any order and in every process. Nothing is kept and no file
// is read. Not promised: to find memories that say the same in other words or another language, or to
// know a contradiction. go run ./memory/rule/measure near-duplicate prints what it finds.
package likeness

import (
	"cmp"
	"math"
	"slices"
)

// The shares, from 0 to 1, from which on two memories say the same, and how much they must share at
// least. Chosen on the labelled sets and on documentation cut into sections, where nearly all pairs
// share vocabulary and few say the same.
const (
	alikePhrases = 0.20 // share of phrases
	alike        = 0.65 // share of phrases plus share of words
	strong       = 0.50 // share of phrases
	loose        = 0.30 // share of words: they may say the same in other words
	minPhrases   = 6
	minWords     = 5 // that few memories have
	rareHolders  = 5 // what is few

	// Of names that differ in a date or in one word: they fill in one form.
	seriesPhrases = 0.85
	seriesAlike   = 1.70
)

// Memory is what is compared.
type Memory struct {
	Name        string // its path, with or without ".md"
	Description string
	Body        string // without frontmatter
}

// Reading is a memory that was read once, to be compared with many.
type Reading struct {
	name     name
	features []feature // sorted; of too many, the smallest
	last     feature   // features above it were left out
}

// Read reads a memory. Of a body the first 16 KB count, without the targets of links.
func Read(m Memory) *Reading {
	words := append(wordsOf(m.Description), wordsOf(withoutTargets(m.Body))...)
	features := append(phrasesOf(words), words...)
	slices.Sort(features)
	features = slices.Compact(features)
	r := &Reading{name: readName(m.Name), features: features, last: math.MaxUint64}
	if len(features) > maxFeatures {
		r.features = features[:maxFeatures]
		r.last = r.features[maxFeatures-1]
	}
	r.features = slices.Clip(r.features)
	return r
}

// Pair is two memories that say the same, by their places in what was compared, A before B.
type Pair struct {
	A, B   int
	Share  float64 // from 0 to 1
	Strong bool    // they share half of their phrases or more
	Loose  bool    // they share words, and hardly a phrase
}

// Pairs returns the pairs that say the same. Of a group of more than a few, it returns enough pairs to
// connect the group. At most MaxMemories readings can be compared.
func Pairs(readings []*Reading) []Pair {
	c := weigh(readings)
	var pairs []Pair
	slices.Sort(c.candidates)
	for from := 0; from < len(c.candidates); {
		both, to := c.candidates[from], from+1
		for to < len(c.candidates) && c.candidates[to] == both {
			to++
		}
		if to-from >= min(minPhrases, minWords) {
			if p, alike := c.judge(int(both>>32), int(uint32(both))); alike {
				pairs = append(pairs, p)
			}
		}
		from = to
	}
	slices.SortFunc(pairs, func(p, q Pair) int { return cmp.Or(p.A-q.A, p.B-q.B) })
	return pairs
}

// Of returns the pairs that one of the memories belongs to.
func Of(readings []*Reading, at int) []Pair {
	c := weigh(readings)
	var pairs []Pair
	for i := range readings {
		if i == at {
			continue
		}
		if p, alike := c.judge(min(i, at), max(i, at)); alike {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// MaxMemories is how many memories can be compared.
const MaxMemories = 1 << holderBits

const holderBits = 16

// compared is memories with what each of their features weighs in this directory.
type compared struct {
	readings   []*Reading
	weights    [][]float32 // by reading and feature
	candidates []uint64    // A<<32 | B, once for each feature that they share
}

// weigh counts in how many memories each feature is. Candidates are all pairs of the few that hold a
// rare feature, and each that holds a common phrase with the first that does.
func weigh(readings []*Reading) compared {
	c := compared{readings: readings, weights: make([][]float32, len(readings))}
	total := 0
	for i, r := range readings {
		c.weights[i] = make([]float32, 0, len(r.features))
		total += len(r.features)
	}
	holders := make([]uint64, 0, total) // feature<<holderBits | place
	for i, r := range readings {
		for _, f := range r.features {
			holders = append(holders, uint64(f)<<holderBits|uint64(i))
		}
	}
	slices.Sort(holders)
	for from := 0; from < len(holders); {
		to := from + 1
		for to < len(holders) && holders[to]>>holderBits == holders[from]>>holderBits {
			to++
		}
		run := holders[from:to]
		weight := weightOf(len(run))
		for i, h := range run {
			b := h & (MaxMemories - 1)
			c.weights[b] = append(c.weights[b], weight)
			others := run[:i]
			if len(run) > rareHolders {
				others = run[:min(i, 1)]
				if feature(h>>holderBits).kind() != phrase {
					others = nil
				}
			}
			for _, a := range others {
				c.candidates = append(c.candidates, a&(MaxMemories-1)<<32|b)
			}
		}
		from = to
	}
	return c
}

var rareWeight = weightOf(rareHolders)

// weightOf returns what a feature weighs that so many memories hold.
func weightOf(holders int) float32 { return float32(1 / math.Sqrt(float64(max(1, holders-1)))) }

// sums is what some features weigh, by kind.
type sums struct {
	phrases, words float64
	count          int // of phrases
	rareWords      float64
}

func (s *sums) add(f feature, weight float32) {
	w := f.weight()
	switch {
	case f.kind() == phrase:
		s.count++
		s.phrases += float64(weight)
		return
	case weight >= rareWeight:
		s.rareWords += w
	}
	s.words += float64(weight) * w
}

// judge compares two memories. A share is the mean of the share in both and the share in the smaller
// one: a note that is wholly in a longer one counts, a few phrases of a long one do not.
func (c compared) judge(a, b int) (Pair, bool) {
	ra, rb := c.readings[a], c.readings[b]
	last := min(ra.last, rb.last)
	var inA, inB, both sums
	for i, f := range ra.features {
		if f <= last {
			inA.add(f, c.weights[a][i])
		}
	}
	i := 0
	for j, f := range rb.features {
		if f > last {
			break
		}
		inB.add(f, c.weights[b][j])
		for i < len(ra.features) && ra.features[i] < f {
			i++
		}
		if i < len(ra.features) && ra.features[i] == f {
			both.add(f, c.weights[b][j])
		}
	}
	phrases, words := share(both.phrases, inA.phrases, inB.phrases), share(both.words, inA.words, inB.words)
	enoughPhrases, enough, enoughWords := alikePhrases, alike, loose
	if ra.seriesWith(rb) {
		enoughPhrases, enough, enoughWords = seriesPhrases, seriesAlike, seriesAlike
	}
	byPhrases := both.count >= minPhrases && phrases >= enoughPhrases
	byWords := both.rareWords >= minWords && words+phrases >= enough
	p := Pair{A: a, B: b, Share: max(phrases, words), Strong: byPhrases && phrases >= strong, Loose: !byPhrases && !byWords}
	return p, !p.Loose || both.rareWords >= minWords && words >= enoughWords
}

func share(shared, a, b float64) float64 {
	if shared == 0 {
		return 0
	}
	return (2*shared/(a+b) + shared/min(a, b)) / 2
}
