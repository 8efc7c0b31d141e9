package rank

import (
	"cmp"
	"math"
	"slices"
)

// weights are the numbers of the score.
type weights struct {
	k1, b       float64 // saturation and length, as in BM25
	phrase      float64 // two terms in the query's order, as a share of the rarer one
	answer      float64 // in the turn before, which asks
	reply       float64 // in the turn before a short reply
	joined      float64 // bytes of that turn that count as the reply's own length
	prev, next  float64 // in a neighbour
	far         float64 // two turns away
	session     float64 // elsewhere in the session
	short       float64 // bytes at which a turn is worth half of what it holds
	called      float64 // the words of whom the query names
	nameOwn     float64 // what is left of a name's weight then
	questioning float64 // what is left of a turn that only asks
}

// tuned was chosen on two thirds of the questions in measure/testdata, and rounded.
var tuned = weights{
	k1: 1, b: 0.4, phrase: 0.3, answer: 0.8, reply: 0.5, joined: 30, prev: 0.2, next: 0.1, far: 0.2, session: 0.15, short: 30,
	called: 0.2, nameOwn: 0.3, questioning: 0.8,
}

// scores returns the score of each turn that is kept. Each term counts where it is nearest: in the turn itself
// as in BM25, in a neighbour or elsewhere in the session by a share of that.
func (r *Ranking) scores() []float64 {
	if len(r.turns) == 0 {
		return nil
	}
	w := &tuned
	idf, called := r.idf()
	used := r.rarest(idf)
	mean := max(1, float64(r.bytes)/float64(max(1, r.docs[0]+r.docs[1])))

	width := len(used)
	own := make([]float32, len(r.turns)*width)
	held := make([]terms, len(r.sessions)) // by session
	for i := range r.turns {
		t := &r.turns[i]
		held[t.session].union(t.terms)
		norm := w.k1 * (1 - w.b + w.b*max(1, float64(t.length)/mean))
		for k, n := range used {
			if tf := float64(t.counts[n]) / whole; tf > 0 {
				own[i*width+k] = float32(tf * (w.k1 + 1) / (tf + norm))
			}
		}
	}

	scores := make([]float64, len(r.turns))
	best := make([]float32, width)
	for i := range r.turns {
		t := &r.turns[i]
		copy(best, own[i*width:])
		length := float64(t.length)
		for j := max(0, i-reach); j <= i+reach && j < len(r.turns); j++ {
			o := &r.turns[j]
			if o.session != t.session || j == i {
				continue
			}
			share := w.share(t, o)
			if o.order == t.order-1 && t.replies(o) {
				length += min(w.joined, float64(o.length)) // the two are read as one
			}
			for k := range best {
				best[k] = max(best[k], float32(share)*own[j*width+k])
			}
		}
		sum := 0.0
		for k, n := range used {
			tf := float64(best[k])
			if held[t.session].has(n) {
				tf = max(tf, w.session)
			}
			sum += idf[n] * tf
			if t.ordered.has(n) {
				sum += w.phrase * min(idf[n], idf[n-1])
			}
		}
		scores[i] = sum * length / (length + w.short) * r.factor(t, called)
	}
	return scores
}

// rarest returns the maxUsed terms that are worth most of those that some turn holds, in the query's order.
func (r *Ranking) rarest(idf []float64) []int {
	var used []int
	for n := range idf {
		if r.df[0][n]+r.df[1][n] > 0 {
			used = append(used, n)
		}
	}
	slices.SortStableFunc(used, func(a, b int) int { return cmp.Compare(idf[b], idf[a]) })
	used = used[:min(len(used), maxUsed)]
	slices.Sort(used)
	return used
}

// share is what a term of turn o counts for turn t, which is near it.
func (w *weights) share(t, o *turn) float64 {
	switch d := o.order - t.order; {
	case d == -1 && o.traits&question != 0:
		return w.answer
	case d == -1 && t.replies(o):
		if o.traits&endsAsking != 0 {
			return w.answer
		}
		return w.reply
	case d == -1:
		return w.prev
	case d == 1:
		return w.next
	case d >= -reach && d <= reach:
		return w.far
	}
	return 0
}

// replies reports whether t is a short answer of the person to turn o, the one before it.
func (t *turn) replies(o *turn) bool {
	return t.traits&(elliptic|byUser) == elliptic|byUser && o.traits&byUser == 0
}

// factor is what a turn is worth for who said it and what kind of turn it is.
func (r *Ranking) factor(t *turn, called [2]bool) float64 {
	w := &tuned
	f := 1.0
	if user := t.traits&byUser != 0; user && called[1] || !user && called[0] {
		f += w.called
	}
	if t.traits&question != 0 {
		f *= w.questioning
	}
	return f
}

// A name that one side says and the other does not is how the other side is called: the question
// then asks for the words of the person with that name.
const (
	callsAtLeast = 3    // turns
	callsRatio   = 4    // times as often as the other side
	callsAtMost  = 0.35 // of a side's turns: a word in more of them is a label
)

// idf returns what each term is worth by its rarity, and which sides the query calls by name.
func (r *Ranking) idf() (idf []float64, called [2]bool) {
	docs := float64(r.docs[0] + r.docs[1])
	idf = make([]float64, len(r.query.terms))
	for n, t := range r.query.terms {
		others, users := r.df[0][n], r.df[1][n]
		df := float64(others + users)
		idf[n] = t.weight * math.Log(1+(docs-df+0.5)/(df+0.5))
		if !t.name || others+users < callsAtLeast {
			continue
		}
		sayer, often, seldom := 0, others, users
		if users > others {
			sayer, often, seldom = 1, users, others
		}
		if often >= callsRatio*seldom && float64(often) <= callsAtMost*float64(r.docs[sayer]) {
			called[1-sayer] = true
			idf[n] *= tuned.nameOwn
		}
	}
	return idf, called
}
