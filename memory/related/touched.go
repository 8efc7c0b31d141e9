package related

import (
	"cmp"
	"math"
	"slices"

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

	wholes bool // a path or a name of code in Text is one term
}

// A Hit is a passage that the text of a question touches.
type Hit struct {
	Passage
	i      int
	Score  float64 // about the number of terms that only one memory holds and that text and passage share
	Shared []Term  // what they share, the rarest first
}

// value returns the passage of the body that shares most with the text of a hit, where that is the description of a memory, and
// else the hit's own: a description says what a memory is about, and its body what holds.
func (x *Index) value(h Hit) Passage {
	best, most := h.Passage, -1.0
	if !h.described {
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

// What makes a memory clear. The score of its best passage is at least what is asked for, half of what a passage with all words of the text
// would have at least, and clearly times that of the next memory. One memory with less than surely needs a word that few hold, and
// that is not of everyday work; two need as much.
const (
	surely  = 2.3
	half    = 0.5
	clearly = 1.5
	minRare = 0.7
)

// About returns the passages that somebody's words are about, of the memory or the two memories that are clear and have at least a
// score. A name of code or a
// path is one word, and its parts are none: what people work on is named all day, and says little about what they want.
func (x *Index) About(s string, score float64) (about []Passage) {
	q := Question{Text: s, Max: 3, PerFile: 1, wholes: true}
	hits, all := x.Touched(q), 0.0
	for _, t := range x.ask(q) {
		all += t.rarity
	}
	for i, h := range hits[:min(len(hits), 2)] {
		if h.Score < max(score, half*all) || h.Score < surely && (i > 0 || !slices.ContainsFunc(h.Shared, Term.isRare)) {
			return nil
		}
		about = append(about, x.value(h))
		if i+1 == len(hits) || h.Score >= clearly*hits[i+1].Score {
			return about
		}
	}
	return nil
}

var dateOrDigit = lazy.New(`^(?:19|20)\d\d(?:-\d\d?)*$|^\d$`)

func (t Term) isRare() bool {
	return t.Weight >= minRare && !text.IsEveryday(t.Text) && !dateOrDigit.MatchString(t.Text)
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
	if q.wholes {
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
