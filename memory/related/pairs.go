package related

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// A Pair is two passages that touch each other.
type Pair struct {
	From Passage
	Hit  // the other
	// Weight is that of the words that they share, as in Meeting. It is 0 where only their share of all words is large.
	Weight float64
}

// minShare is the share of their terms from which two passages touch each other, whatever the words. In nine real directories
// 0.08 to 0.18 made no difference that is more than chance.
const minShare = 0.15

// Beside returns what passages of one file touch in other files by more than chance, the nearest first. skip is as in
// Question.
func (x *Index) Beside(from []Passage, context string, skip func(file string) bool, max int) []Pair {
	best := map[Passage]Pair{} // by the passage that is touched
	for _, p := range from {
		words, length := x.words(p.Text, false), float64(len(x.lookUp(p.Text)))
		for _, h := range x.Touched(Question{Text: p.Text, Context: context + "\n" + p.about, Skip: skip, Max: 4 * max, PerFile: 2}) {
			weight, share := x.meeting(words, h), 0.0
			for _, t := range h.Shared {
				share += t.Weight
			}
			share /= math.Sqrt((length + 1) * float64(x.passages.lengths[h.i]+1))
			h.Score *= share
			if (weight > 0 || share >= minShare) && len(h.Shared) > 1 && best[h.Passage].Score < h.Score {
				best[h.Passage] = Pair{p, h, weight}
			}
		}
	}
	pairs := slices.SortedFunc(maps.Values(best), comparePairs)
	return pairs[:min(len(pairs), max)]
}

func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.From.File, b.From.File), a.From.Line-b.From.Line)
}

// The number of passages, or memories, that may hold a term that makes two of them near.
const (
	maxPassages = 12
	maxFiles    = 40
)

// near is how near two documents of a field are: from 0 to 1, the share of their weight that they share.
type near struct {
	a, b  int32 // a < b
	share float64
}

// nearest returns the pairs of documents that share a term that few hold, and at least so much. weight is that of a term.
func (f *field) nearest(maxHolders int, least float64, weight func(term int32) float64, apart func(a, b int32) bool) []near {
	shared := map[uint64]float64{}
	whole := make([]float64, len(f.lengths))
	for t := range int32(len(f.from) - 1) {
		holders, w := f.holders(t), weight(t)
		for i, h := range holders {
			whole[h.document] += w
			if len(holders) > maxHolders {
				continue
			}
			for _, other := range holders[:i] {
				if apart(other.document, h.document) {
					shared[uint64(other.document)<<32|uint64(h.document)] += w
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

// Pairs returns the nearest pairs of passages of different files that give different values for the same thing, or of which
// one says that something is over. Of two files it returns one pair.
func (x *Index) Pairs(max int) []Pair {
	all := x.passages.nearest(maxPassages, minPair, x.rarity, func(a, b int32) bool {
		f, g := x.fileOf[a], x.fileOf[b]
		return f != g && !(x.outside[f] && x.outside[g])
	})
	var pairs []Pair
	seen, outside := map[[2]int32]bool{}, 0
	claims := make([]*claims, len(x.Passages))
	for _, n := range all {
		if len(pairs) == max {
			break
		}
		for _, i := range []int32{n.a, n.b} {
			if claims[i] == nil {
				claims[i] = x.claims(x.Passages[i].Text)
			}
		}
		files := [2]int32{x.fileOf[n.a], x.fileOf[n.b]}
		a, b := x.Passages[n.a], x.Passages[n.b]
		out := x.outside[files[0]] || x.outside[files[1]]
		if seen[files] || out && outside == maxOutside || !claims[n.a].differ(claims[n.b], n.share) {
			continue
		}
		if out {
			outside++
		}
		seen[files] = true
		pairs = append(pairs, Pair{From: a, Hit: Hit{Passage: b, Score: n.share, Shared: x.shared(n.b, x.ask(Question{Text: a.Text}))}})
	}
	return pairs
}

// fewFiles is the number of memories that rarity is counted over at least: that all of two hold a word says little of it.
const fewFiles = 40

// Alike returns the pairs of documents, by their place in what New was given, that share at least so much of their weight, from 0 to
// 1, the nearest first. The first of a pair is the earlier one.
func (x *Index) Alike(least float64) (pairs [][2]int) {
	rarity := func(term int32) float64 { return Rarity(len(x.whole.holders(term)), max(len(x.files), fewFiles)) }
	for _, n := range x.whole.nearest(maxFiles, least, rarity, func(a, b int32) bool { return true }) {
		pairs = append(pairs, [2]int{int(n.a), int(n.b)})
	}
	return pairs
}

// maxOutside is the number of pairs of a memory and a text that is not one.
const maxOutside = 6

// claims is what a passage says that another may contradict.
type claims struct {
	values map[string][]string // numbers, versions and addresses, by the stems of the words beside them
	over   bool                // something is over, missing or replaced
}

// differ reports whether two passages give other values for the same thing, or, if they are nearly alike, whether one says
// that something is over.
func (c *claims) differ(o *claims, share float64) bool {
	if c.over != o.over && share >= minOver {
		return true
	}
	for subject, values := range c.values {
		others := o.values[subject]
		if len(others) > 0 && !slices.ContainsFunc(values, func(v string) bool { return slices.Contains(others, v) }) {
			return true
		}
	}
	return false
}

// claims finds what a text claims.
func (x *Index) claims(s string) *claims {
	c := &claims{values: map[string][]string{}}
	var words []string
	for word := range strings.FieldsSeq(s) {
		if lower := strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !isWordRune(r) })); lower != "" {
			c.over = c.over || changes()[lower]
			words = append(words, lower)
		}
	}
	for i, value := range words {
		if !isValue(value) {
			continue
		}
		for _, word := range words[max(0, i-1):min(i+3, len(words))] {
			if terms := x.lookUp(word); len(terms) == 1 && !isValue(word) && len(x.whole.holders(terms[0])) <= maxPassages && !text.IsEveryday(x.terms[terms[0]]) {
				subject := x.terms[terms[0]]
				c.values[subject] = append(c.values[subject], value)
			}
		}
	}
	return c
}

// isValue reports whether a word is a number, a version or an address. A date differs without a contradiction.
func isValue(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) && !date.MatchString(word) || strings.Contains(word, "://")
}

var (
	date        = lazy.New(`^(?:19|20)\d\d(?:-\d\d?)*$`)
	dateOrShort = lazy.New(date.String() + `|^\d\d?$`)
)

// changes are words by which a text says that something is over, missing or replaced.
var changes = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`no not never without done finished completed complete resolved fixed removed deleted dropped deprecated obsolete
		superseded replaced renamed moved migrated switched closed cancelled canceled expired stale former formerly previously
		pending todo planned nicht kein keine erledigt ersetzt entfernt veraltet sin no nunca hecho ne pas jamais plus`) {
		words[w] = true
	}
	return words
})

// The shares of their weight that two near memories, and two passages, have in common.
const (
	minNear = 0.03
	minPair = 0.12
	minOver = 0.3 // of two of which one says that something is over
)

// Order returns the files so that those that share most follow each other, in groups of at most room bytes, and for each file at
// most max files that it shares most with, the nearest first. size is the size of a file.
func (x *Index) Order(room, max int, size func(file string) int) (order []string, beside map[string][]string) {
	order, beside = make([]string, 0, len(x.files)), map[string][]string{}
	links := make([][]near, len(x.files))
	free := make([]float64, len(x.files)) // what a file shares with those that are not placed
	for _, n := range x.whole.nearest(maxFiles, minNear, x.rarity, func(a, b int32) bool { return true }) {
		for _, f := range []int32{n.a, n.b} {
			links[f] = append(links[f], n)
			free[f] += n.share
			if file := x.files[f]; len(beside[file]) < max {
				beside[file] = append(beside[file], x.files[n.a+n.b-f])
			}
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
	return order, beside
}
