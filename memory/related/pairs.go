package related

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"dream-mcp/memory/text"
)

// A Pair is two passages that touch each other. Its score is multiplied by up to 1+maxValues if the passages have
// different numbers beside the same words.
type Pair struct {
	From Passage
	Hit  // the other

	OtherValue bool // they have different values beside the same words
}

// maxValues is how many words beside two values count.
const maxValues = 3

// Beside returns what passages of one file touch in other files, the nearest first: for each of them the nearest
// passage of each file, and those with other values. skip says which files are not asked for; nil: none.
func (x *Index) Beside(from []Passage, skip func(file string) bool, max int) (pairs []Pair) {
	type touch struct {
		Pair
		at    int // of the passage that is touched
		words []word
	}
	best := map[int]touch{} // by the passage that is touched
	for _, p := range from {
		words, values := x.words(p.Text, false), x.valuesOf(p.Text)
		for i, share := range x.shares(words) {
			if share < minBeside || skip != nil && skip(x.Passages[i].File) {
				continue
			}
			beside := otherValue(values, func() []value { return x.valuesOf(x.Passages[i].Text) })
			if share *= float64(1 + min(beside, maxValues)); share > best[i].Score {
				best[i] = touch{Pair{p, Hit{Passage: x.Passages[i], Score: share}, beside > 0}, i, words}
			}
		}
	}
	type between struct {
		from Passage
		file string
	}
	has := map[between]bool{}
	for _, t := range slices.SortedFunc(maps.Values(best), func(a, b touch) int { return comparePairs(a.Pair, b.Pair) }) {
		if len(pairs) == max {
			break
		}
		if b := (between{t.From, t.File}); t.OtherValue || !has[b] {
			has[b] = true
			t.Shared = x.shared(t.words, t.at)
			pairs = append(pairs, t.Pair)
		}
	}
	return pairs
}

func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.From.File, b.From.File), a.From.Line-b.From.Line)
}

// maxFiles is the number of memories that may hold a term that makes two of them near.
const maxFiles = 40

// near is how near two documents of a field are: from 0 to 1, the share of their weight that they share.
type near struct {
	a, b  int32 // a < b
	share float64
}

// nearest returns the pairs of documents that share a term that few hold, and at least so much. weight is that of a
// term.
func (f *field) nearest(maxHolders int, least float64, weight func(term int32) float64, apart func(a, b int32) bool) []near {
	shared := map[uint64]float64{}
	whole := make([]float64, f.size)
	for t := range int32(len(f.from) - 1) {
		holders, w := f.holders(t), weight(t)
		for i, h := range holders {
			whole[h] += w
			if len(holders) > maxHolders {
				continue
			}
			for _, other := range holders[:i] {
				if apart(other, h) {
					shared[uint64(other)<<32|uint64(h)] += w
				}
			}
		}
	}
	var all []near
	for key, w := range shared {
		a, b := int32(key>>32), int32(uint32(key))
		if share := w / math.Sqrt((whole[a]+1)*(whole[b]+1)); share >= least {
			all = append(all, near{a, b, share})
		}
	}
	slices.SortFunc(all, func(x, y near) int {
		return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return all
}

// fewFiles is the number of memories that rarity is counted over at least: that all of two hold a word says little of
// it.
const fewFiles = 40

// Alike returns the pairs of documents, by their place in what New was given, that share at least so much of their
// weight, from 0 to 1, the nearest first. The first of a pair is the earlier one.
func (x *Index) Alike(least float64) (pairs [][2]int) {
	rarity := func(term int32) float64 { return text.Rarity(len(x.whole.holders(term)), max(len(x.files), fewFiles)) }
	for _, n := range x.whole.nearest(maxFiles, least, rarity, func(a, b int32) bool { return true }) {
		pairs = append(pairs, [2]int{int(n.a), int(n.b)})
	}
	return pairs
}

// minNear is the share of their weight that two near memories have in common.
const minNear = 0.03

// Order returns the files so that those that share most follow each other, in groups of at most room bytes. size is the
// size of a file.
func (x *Index) Order(room int, size func(file string) int) []string {
	order := make([]string, 0, len(x.files))
	links := make([][]near, len(x.files))
	free := make([]float64, len(x.files)) // what a file shares with those that are not placed
	for _, n := range x.whole.nearest(maxFiles, minNear, x.rarity, func(a, b int32) bool { return true }) {
		for _, f := range []int32{n.a, n.b} {
			links[f] = append(links[f], n)
			free[f] += n.share
		}
	}
	placed := make([]bool, len(x.files))
	pull := slices.Clone(free) // to the group so far, or to all files where there is none
	used := 0
	for len(order) < len(x.files) {
		next := -1
		for f, file := range x.files {
			if !placed[f] && (next < 0 || pull[f] > pull[next]) && (used == 0 || used+size(file) <= room) {
				next = f
			}
		}
		if next < 0 {
			used = 0
			copy(pull, free)
			continue
		}
		if used == 0 {
			clear(pull)
		}
		placed[next], used = true, used+size(x.files[next])
		order = append(order, x.files[next])
		for _, l := range links[next] {
			for _, f := range []int32{l.a, l.b} {
				pull[f] += l.share
				free[f] -= l.share
			}
		}
	}
	return order
}
