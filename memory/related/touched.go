package related

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// A Question asks which passages a text touches.
type Question struct {
	Text    string
	Context string                 // what the text is about, such as the name of its memory; it counts less
	Skip    func(file string) bool // files that are not asked for; nil: none
	Max     int                    // hits at most; 0: 5
	PerFile int                    // of one file at most; 0: no bound
	Wholes  bool                   // a path or a name of code in Text is one term, as in Meeting
}

// A Hit is a passage that the text of a question touches.
type Hit struct {
	Passage
	i      int
	Score  float64 // about the number of terms that only one memory holds and that text and passage share
	Shared []Term  // what they share, the rarest first
}

// maxShort is how many terms a memory has at most that counts as a whole where a text is compared with one of its passages.
const maxShort = 300

var dateOrDigit = lazy.New(`^(?:19|20)\d\d(?:-\d\d?)*$|^\d$`)

// What a text and a memory must share, or it may be chance. In a small memory two words are enough that only the two hold, and
// of a short text two words that are nearly all it says, beside numbers.
const (
	minWords  = 2
	minWeight = 1.5
	nearlyAll = 0.9
)

// Telling returns the words that make a hit: those that few memories hold, or the rarest.
func (h Hit) Telling() (words []string) {
	for i, t := range h.Shared {
		if i == 0 || t.Weight >= minRare {
			words = append(words, t.Text)
		}
	}
	return words
}

// Value returns the passage of the body that shares most with the text of a hit, where that is the description of a memory, and
// else the hit's own: a description says what a memory is about, and its body what holds.
func (x *Index) Value(h Hit) Passage {
	best, most := h.Passage, -1.0
	if h.about != memory.NameWords(h.File) {
		return best
	}
	for i := h.i + 1; i < len(x.Passages) && x.fileOf[i] == x.fileOf[h.i]; i++ {
		weight := 0.0
		for _, t := range h.Shared {
			if x.passages.count(x.ids[t.Text], int32(i)) >= 1 {
				weight += t.Weight
			}
		}
		if weight > most {
			best, most = x.Passages[i], weight
		}
	}
	return best
}

// Meeting returns the weight of the words of what somebody said that the memory of a hit holds, without those of everyday work, dates
// and digits, and 0 if they may be chance. A name of code or a path is one word, and its parts are none: what people work on
// is named all day, and says little about what they want. Of a long memory only the passage counts.
func (x *Index) Meeting(s string, h Hit) float64 { return x.meeting(x.words(s, true), h) }

// IsAbout reports whether a text has a rare word of the name of a hit's memory, any word of that name and a rare word of the
// memory, or a name that only this memory has: in another language that may be all they share.
func (x *Index) IsAbout(h Hit, s string) bool {
	called, file, words := memory.NameWords(h.File), x.fileOf[h.i], x.words(s, true)
	name := x.lookUp(called)
	short := len(strings.Fields(called)) <= maxName
	return short && x.meets(h, s, words, name) || slices.ContainsFunc(words, func(w word) bool {
		return slices.ContainsFunc(w.terms, func(t int32) bool {
			only := len(x.whole.holders(t)) == 1 && x.whole.count(t, file) > 0 && x.passages.count(t, int32(h.i)) >= 1
			return short && slices.Contains(name, t) && w.says >= minRare && x.rarity(t) == w.says || w.named && only
		})
	})
}

// meets reports whether a text of some words has a word of a name, if only one of everyday work, and a rare word of the memory of a hit.
func (x *Index) meets(h Hit, s string, words []word, name []int32) bool {
	if !slices.ContainsFunc(x.lookUp(s), func(t int32) bool { return slices.Contains(name, t) && text.IsEveryday(x.terms[t]) }) {
		return false
	}
	return slices.ContainsFunc(words, func(w word) bool {
		return !w.dense && slices.ContainsFunc(w.terms, func(t int32) bool {
			return x.holds(h, t) && !slices.Contains(name, t) && x.rarity(t) >= minRare
		})
	})
}

// holds reports whether the passage of a hit has a term, or its memory if that is short.
func (x *Index) holds(h Hit, t int32) bool {
	file := x.fileOf[h.i]
	return x.passages.count(t, int32(h.i)) >= 1 || x.whole.lengths[file] <= maxShort && x.whole.count(t, file) >= 1
}

// A name of more words is a sentence. A word with less weight is in many memories.
const (
	maxName = 3
	minRare = 0.5
)

// A word of a text by its terms, without those that say little.
type word struct {
	terms []int32
	dense bool    // of a script without spaces: its terms are words
	named bool    // it has an upper-case letter, and does not begin a sentence
	says  float64 // its rarity; of a number 0
}

// words returns the words of a text, names of code and paths with their parts or as wholes.
func (x *Index) words(s string, wholes bool) (words []word) {
	inSentence, ends := false, true
	counted := false // the word before is a number that may be a value: what it counts is not everyday
	for w := range strings.FieldsSeq(s) {
		lookUp := x.lookUp
		if wholes {
			lookUp = x.lookUpWholes
		}
		inSentence, ends = !ends, strings.ContainsAny(w[len(w)-1:], ".!?:")
		terms := slices.DeleteFunc(lookUp(w), func(id int32) bool {
			return !counted && text.IsEveryday(x.terms[id]) || dateOrDigit.MatchString(x.terms[id])
		})
		counted = len(terms) > 0 && strings.Trim(w, "0123456789.,") == ""
		if len(terms) == 0 {
			continue
		}
		word := word{terms: terms, dense: strings.ContainsFunc(w, text.IsDense), named: inSentence && strings.ContainsFunc(w, unicode.IsUpper)}
		for _, t := range terms {
			if !counted {
				word.says = max(word.says, x.rarity(t))
			}
		}
		words = append(words, word)
	}
	return words
}

func (x *Index) meeting(words []word, h Hit) (weight float64) {
	seen := map[int32]bool{}
	n, says := 0, 0.0
	for _, w := range words {
		says += w.says
		rarest := int32(-1)
		for _, t := range w.terms {
			switch {
			case seen[t] || !x.holds(h, t):
			case w.dense:
				seen[t] = true
				n, weight = n+1, weight+x.rarity(t)
			case rarest < 0 || x.rarity(t) > x.rarity(rarest):
				rarest = t
			}
		}
		if rarest >= 0 {
			seen[rarest] = true
			n, weight = n+1, weight+x.rarity(rarest)
		}
	}
	if n < minWords || weight < min(minWeight, minWords*text.Rarity(2, len(x.files)), nearlyAll*says) {
		return 0
	}
	return weight
}

// A Term is a word that a question and a passage share, as its stem.
type Term struct {
	Text   string
	Files  int     // that hold it
	Weight float64 // from 0 to 1: 1 if one file of many holds it
}

// asked is a term of a question.
type asked struct {
	id     int32
	weight float64 // with its rarity
	rarity float64
}

// Touched returns the passages that a text touches, the best first.
func (x *Index) Touched(q Question) []Hit {
	terms := x.ask(q)
	if len(terms) == 0 {
		return nil
	}
	files := make([]float64, len(x.files))
	x.whole.score(terms, files)
	scores := make([]float64, len(x.Passages))
	x.passages.score(terms, scores)
	skip := make([]bool, len(x.files))
	for f, file := range x.files {
		skip[f] = q.Skip != nil && q.Skip(file)
	}
	most := 0.0
	for p := range scores {
		if f := x.fileOf[p]; skip[f] {
			scores[p] = 0
		} else if scores[p] > 0 {
			scores[p] += ofFile * files[f]
			most = max(most, scores[p])
		}
	}
	hits := x.best(terms, scores, most/2, q)
	if len(hits) < cmp.Or(q.Max, 5) {
		hits = x.best(terms, scores, 0, q)
	}
	return hits
}

// best returns the hits whose score is above a bound.
func (x *Index) best(terms []asked, scores []float64, above float64, q Question) (hits []Hit) {
	var order []int32
	for p, score := range scores {
		if score > above {
			order = append(order, int32(p))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	perFile := map[int32]int{}
	for _, p := range order {
		f, shared := x.fileOf[p], x.shared(p, terms)
		if len(shared) == 0 || q.PerFile > 0 && perFile[f] == q.PerFile {
			continue
		}
		perFile[f]++
		hits = append(hits, Hit{Passage: x.Passages[p], i: int(p), Score: scores[p], Shared: shared})
		if len(hits) == cmp.Or(q.Max, 5) {
			break
		}
	}
	return hits
}

// ask returns the terms of a question, the rarest first.
func (x *Index) ask(q Question) []asked {
	counts := map[int32]float64{}
	for _, t := range x.lookUp(q.Context) {
		counts[t] = ofContext
	}
	lookUp := x.lookUp
	if q.Wholes {
		lookUp = x.lookUpWholes
	}
	for _, t := range lookUp(q.Text) {
		counts[t] = 1
	}
	terms := make([]asked, 0, len(counts))
	for t, weight := range counts {
		rarity := x.rarity(t)
		terms = append(terms, asked{t, weight * rarity, rarity})
	}
	slices.SortFunc(terms, func(a, b asked) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id)) })
	return terms[:min(len(terms), maxQuestion)]
}

// rarity returns the weight of a term: 1 if one of many memories holds it and nobody said it twice, 0 if all hold it.
func (x *Index) rarity(term int32) float64 {
	return text.Rarity(len(x.whole.holders(term)), len(x.files)) / math.Cbrt(float64(max(1, x.said[term].Load())))
}

// shared returns the terms of a question that a passage holds.
func (x *Index) shared(passage int32, terms []asked) (shared []Term) {
	for _, t := range terms {
		if x.passages.count(t.id, passage) >= 1 {
			shared = append(shared, Term{x.terms[t.id], len(x.whole.holders(t.id)), t.rarity})
		}
	}
	return shared
}
