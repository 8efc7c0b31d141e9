// Package likeness finds the memories of a directory that share at least half of their phrases.
//
// A phrase is four words in a row, without words such as "the". It counts less the more memories of the directory have it, so
// the forms that a directory shares say nothing. Time and memory are linear in the number of memories.
//
// The same memories give the same answer, in any order and in every process. Nothing is kept and no file is read. Not
// promised: to find memories that say the same in other words or another language.
package likeness

import (
	"cmp"
	"math"
	"slices"
)

// The share of phrases, from 0 to 1, from which on two memories say the same, and how many they must share at least.
const (
	strong       = 0.50
	seriesStrong = 0.85 // of names that differ in a date or in one word: they fill in one form
	minPhrases   = 6
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

// Like is another memory that says the same.
type Like struct {
	At    int     // its place in what was compared
	Share float64 // from 0 to 1
}

// MaxMemories is how many memories can be compared.
const MaxMemories = 1 << holderBits

const holderBits = 16

// Compared is memories with what each of their features weighs in this directory.
type Compared struct {
	readings []*Reading
	weights  [][]float32 // by reading and feature
}

// Compare weighs the features of at most MaxMemories memories: each less the more memories have it.
func Compare(readings []*Reading) Compared {
	c := Compared{readings: readings, weights: make([][]float32, len(readings))}
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
		weight := float32(1 / math.Sqrt(float64(max(1, to-from-1))))
		for _, h := range holders[from:to] {
			at := h & (MaxMemories - 1)
			c.weights[at] = append(c.weights[at], weight)
		}
		from = to
	}
	return c
}

// With returns the memories that say the same as the one at a place, the most alike first.
func (c Compared) With(at int) []Like {
	var found []Like
	for i := range c.readings {
		if i == at {
			continue
		}
		if share, is := c.judge(at, i); is {
			found = append(found, Like{i, share})
		}
	}
	slices.SortStableFunc(found, func(a, b Like) int { return cmp.Compare(b.Share, a.Share) })
	return found
}

// judge compares two memories. The share is the mean of the share in both and the share in the smaller
// one: a note that is wholly in a longer one counts, a few phrases of a long one do not.
func (c Compared) judge(a, b int) (share float64, alike bool) {
	ra, rb := c.readings[a], c.readings[b]
	last := min(ra.last, rb.last)
	var inA, inB, both float64
	count, i := 0, 0
	for i, f := range ra.features {
		if f <= last && f.kind() == phrase {
			inA += float64(c.weights[a][i])
		}
	}
	for j, f := range rb.features {
		if f > last {
			break
		}
		if f.kind() != phrase {
			continue
		}
		inB += float64(c.weights[b][j])
		for i < len(ra.features) && ra.features[i] < f {
			i++
		}
		if i < len(ra.features) && ra.features[i] == f {
			both += float64(c.weights[b][j])
			count++
		}
	}
	enough := strong
	if ra.seriesWith(rb) {
		enough = seriesStrong
	}
	if count < minPhrases {
		return 0, false
	}
	share = (2*both/(inA+inB) + both/min(inA, inB)) / 2
	return share, share >= enough
}
