// Package likeness says which memories of a folder say the same, by the words that they share.
//
// It promises that the same memories give the same answer, in any order and in every process, and
// that the answer about two depends on those two alone. It keeps nothing and reads no file.
//
// It does not know what a sentence means: that one memory contradicts the other, or says the same in
// another language or in other words altogether, it can't tell. What it was measured at is printed by
// go run ./memory/measure near-duplicate.
package likeness

import (
	"cmp"
	"slices"
)

// How alike two memories must be, from 0 to 1, to be told of. Measured on the labelled pairs.
const (
	alike = 0.40
	// A hub and its child share their subject, and their names say so.
	alikeFamily = 0.48
	// The reports of two days fill in one form, and so do the pages of two services or customers:
	// what differs is the subject.
	alikeSeries  = 0.75
	alikeSibling = 0.90
)

// Memory is what is compared.
type Memory struct {
	Name        string // its path, with or without ".md"
	Description string
	Body        string // without frontmatter
}

// Reading is a memory that was read once, to be compared with many.
type Reading struct {
	name   name
	all    bag // of name, description and body
	weight float64
}

// Read reads a memory. Of a body, the first 16 KB count, and not where its links lead: to name another
// memory is not to say what it says.
func Read(m Memory) *Reading {
	r := &Reading{name: readName(m.Name)}
	words := make([]word, 0, min(len(m.Body), maxRead)/4)
	for _, p := range r.name.parts {
		words = append(words, p.words...)
	}
	r.all = slices.Clip(bagOf(addWords(addWords(words, m.Description), withoutTargets(m.Body))))
	r.weight = r.all.weight()
	return r
}

// Like returns how much two memories share, from 0 to 1, and whether that is too much for two: it is
// the mean of the share in both and the share in the smaller one, so that a note that is wholly told
// in a longer one counts, and a few words that any long text holds do not.
func (r *Reading) Like(o *Reading) (share float64, tooMuch bool) {
	return r.judge(o, r.all.shared(o.all))
}

// judge is Like with what the two share.
func (r *Reading) judge(o *Reading, shared float64) (share float64, tooMuch bool) {
	smaller, both := min(r.weight, o.weight), r.weight+o.weight
	if shared < minShared {
		return 0, false
	}
	share = (2*shared/both + shared/smaller) / 2
	return share, share >= alike && share >= r.needed(o)
}

// minShared is how much two memories must share to be compared: what says less resembles many.
const minShared = 3

// needed returns how much two memories of these names may share.
func (r *Reading) needed(o *Reading) float64 {
	switch {
	case r.siblings(o):
		return alikeSibling
	case r.name.date != o.name.date && r.name.date != "" && o.name.date != "":
		return alikeSeries
	case r.name.begins(o.name) || o.name.begins(r.name):
		return alikeFamily
	}
	return alike
}

// siblings reports whether two names are one form with another word filled in, such as service_mail
// and service_search, and the word of each is foreign to the other.
func (r *Reading) siblings(o *Reading) bool {
	a, b := r.name.parts, o.name.parts
	if len(a) != len(b) || len(a) < 2 {
		return false
	}
	at := -1
	for i := range a {
		if !a[i].is(b[i]) {
			if at >= 0 {
				return false
			}
			at = i
		}
	}
	return at >= 0 && r.all.shared(b[at].words) == 0 && o.all.shared(a[at].words) == 0
}

// Pair is two memories that say the same, by their places in what was compared, A before B.
type Pair struct {
	A, B  int
	Share float64
}

// Pairs returns the pairs that are too much alike, by their places. What two share is summed up word by
// word, so that those that share nothing cost nothing: 1,000 memories of two kilobytes take some 30 ms of
// one core to read, and as long to compare (BenchmarkPairs).
func Pairs(readings []*Reading) []Pair {
	var pairs []Pair
	places := make(map[word]int)
	var holders [][]int32 // by place
	shared := make([]float64, len(readings))
	for i, r := range readings {
		clear(shared[:i])
		for _, w := range r.all {
			place, known := places[w]
			if !known {
				place = len(holders)
				places[w], holders = place, append(holders, nil)
			}
			weight := w.weight()
			for _, j := range holders[place] {
				shared[j] += weight
			}
			holders[place] = append(holders[place], int32(i))
		}
		for j, weight := range shared[:i] {
			if share, tooMuch := readings[j].judge(r, weight); tooMuch {
				pairs = append(pairs, Pair{j, i, share})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q Pair) int { return cmp.Or(p.A-q.A, p.B-q.B) })
	return pairs
}
