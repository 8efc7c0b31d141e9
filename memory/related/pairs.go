package related

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"dream-mcp/memory"
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
		for _, h := range x.Touched(Question{Text: p.Text, Context: context + "\n" + p.about, Skip: skip, Max: 4 * max, PerFile: 4}) {
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
	of := map[string]float64{}
	for i := range pairs { // spread over the files: each more of a file counts less
		n := of[pairs[i].File]
		of[pairs[i].File]++
		pairs[i].Score /= 1 + spread*n
	}
	slices.SortStableFunc(pairs, comparePairs)
	return pairs[:min(len(pairs), max)]
}

// spread is how much less each further passage of a file counts. Of 24 values that real commits changed in two memories, four
// passages of a file and this show the other passage of 17, and its file of 22; two passages without it showed 15 and 22.
const spread = 0.5

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

// fewFiles is the number of memories that rarity is counted over at least: that all of two hold a word says little of it.
const fewFiles = 40

// Alike returns the pairs of documents, by their place in what New was given, that share at least so much of their weight, from 0 to
// 1, the nearest first. The first of a pair is the earlier one.
func (x *Index) Alike(least float64) (pairs [][2]int) {
	rarity := func(term int32) float64 { return text.Rarity(len(x.whole.holders(term)), max(len(x.files), fewFiles)) }
	for _, n := range x.whole.nearest(maxFiles, least, rarity, func(a, b int32) bool { return true }) {
		pairs = append(pairs, [2]int{int(n.a), int(n.b)})
	}
	return pairs
}

// A claim is a value that a text gives, and the words beside it.
type claim struct {
	value         string
	kind          string  // values of one kind can contradict each other
	before, after []int32 // the terms of the nearest word on each side
	near          []int32 // the terms of all words beside it
}

// reach is the number of words before and after a value that say what it is the value of.
const reach = 2

// Contradicted returns the lines of an index that give another value than their memory: a number, a version, a day, a path or an
// address, with the same words beside it. Each line is given by the file that it is about. A value that both have, or the
// memory beside other words, contradicts nothing. Of 690 lines in the 27 real directories that it was made on it finds 3, and
// all 3 are out of date.
func (x *Index) Contradicted(about map[string]Passage) (pairs []Pair) {
	passages := make([][]int, len(x.files))
	for i, p := range x.Passages {
		if _, ok := about[p.File]; ok {
			passages[x.fileOf[i]] = append(passages[x.fileOf[i]], i)
		}
	}
	for f, file := range x.files {
		if line, ok := about[file]; ok {
			if i := x.contradicts(line, passages[f]); i >= 0 {
				pairs = append(pairs, Pair{From: line, Hit: Hit{Passage: x.Passages[i], i: i}})
			}
		}
	}
	return pairs
}

// contradicts returns which of the passages of a memory gives another value than a line, or -1.
func (x *Index) contradicts(line Passage, passages []int) int {
	said := map[string]bool{} // the values of the memory
	var whole strings.Builder
	var theirs []claim
	var of []int // the passage of each of theirs
	for _, i := range passages {
		for _, c := range x.claims(x.Passages[i].Text) {
			said[c.value] = true
			theirs, of = append(theirs, c), append(of, i)
		}
		whole.WriteString(strings.ToLower(x.Passages[i].Text))
	}
	claims := x.claims(line.Text)
	for _, c := range claims {
		if said[c.value] || strings.ContainsRune(c.value, '/') && strings.Contains(whole.String(), c.value) {
			continue
		}
		for i, o := range theirs {
			if c.against(o) && !slices.ContainsFunc(claims, func(c claim) bool { return c.value == o.value }) {
				return of[i]
			}
		}
	}
	return -1
}

// against reports whether two claims give different values for the same thing: the nearest word on a side is the same, and all
// words beside the one with fewer are beside the other. A path has the same folder, or the same name in another one.
func (c claim) against(o claim) bool {
	if c.kind != o.kind || c.value == o.value || !share(c.before, o.before) && !share(c.after, o.after) {
		return false
	}
	if c.kind == "path" && path.Base(c.value) != path.Base(o.value) && path.Dir(c.value) != path.Dir(o.value) {
		return false
	}
	shared := 0
	for _, t := range c.near {
		if slices.Contains(o.near, t) {
			shared++
		}
	}
	return shared == min(len(c.near), len(o.near))
}

func share(a, b []int32) bool {
	return slices.ContainsFunc(a, func(t int32) bool { return slices.Contains(b, t) })
}

var (
	number = lazy.New(`\d+(?:[.,]\d+)*`)
	day    = lazy.New(`^(?:19|20)\d\d-\d\d-\d\d$`)
	place  = lazy.New(`^~?(?:/[\pL\d._@+-]+){2,}$`)
	year   = lazy.New(`^(?:19|20)\d\d$`)
)

// kindOf returns the kind of a value: words with digits are of one kind where all else of them is the same. It returns "" for
// other words, and for years, which differ without a contradiction.
func kindOf(word string) string {
	switch {
	case strings.Contains(word, "://"):
		return "URL"
	case day.MatchString(word):
		return "day"
	case place.MatchString(word):
		return "path"
	case strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsRune(word, '/') && !year.MatchString(word):
		return number.ReplaceAllString(word, "0")
	}
	return ""
}

// units are what a number is of without saying what it is the value of.
var units = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, u := range strings.Fields("b kb mb gb tb kib mib gib s ms sec second seconds min minute minutes h hour hours d day days week weeks month months year years") {
		set[u] = true
	}
	return set
})

// claims finds what a text claims.
func (x *Index) claims(s string) (all []claim) {
	words := strings.Fields(strings.ToLower(s[len(memory.BulletMarker(s)):]))
	near := make([][]int32, len(words)) // the terms of words that are neither values nor units
	cells := make([]bool, len(words))   // marks of a table
	for i, word := range words {
		cells[i] = word == "|"
		words[i] = strings.TrimFunc(word, func(r rune) bool { return !isWordRune(r) && r != '/' && r != '~' })
		if words[i] = strings.TrimRight(words[i], "/"); kindOf(words[i]) == "" && !units()[words[i]] {
			near[i] = x.lookUp(words[i])
		}
	}
	for i, word := range words {
		kind := kindOf(word)
		if kind == "" || i > 0 && i+1 < len(words) && cells[i-1] && cells[i+1] { // the number of a row
			continue
		}
		if i+1 < len(words) && units()[words[i+1]] {
			kind += " " + words[i+1]
		}
		c := claim{value: strings.TrimPrefix(word, "v"), kind: strings.TrimPrefix(kind, "v")}
		for d := range reach {
			if at := i - 1 - d; at >= 0 {
				c.near = append(c.near, near[at]...)
				if c.before == nil {
					c.before = near[at]
				}
			}
			if at := i + 1 + d; at < len(words) {
				c.near = append(c.near, near[at]...)
				if c.after == nil {
					c.after = near[at]
				}
			}
		}
		all = append(all, c)
	}
	return all
}

// minNear is the share of their weight that two near memories have in common.
const minNear = 0.03

// Order returns the files so that those that share most follow each other, in groups of at most room bytes. size is the size of a file.
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
