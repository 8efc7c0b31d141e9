package rank

import (
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/text"
)

// The numbers of the score. They were chosen on two thirds of the questions in .ci/measure/rank/testdata, and rounded.
const (
	ofAnswered  = 0.8 // of a term in the turn before, which asks
	ofReplied   = 0.5 // of a term in the turn before a short reply
	ofPrevious  = 0.2
	ofNext      = 0.1
	ofFar       = 0.2  // two turns away
	ofSession   = 0.15 // elsewhere in the session
	questioning = 0.8  // what is left of a turn that only asks
)

// scores returns the score of each turn that is kept. Each term counts where it is nearest: in the turn itself as in
// BM25, in a neighbour or elsewhere in the session by a share of that.
func (r *Ranking) scores() []float64 {
	width := len(r.query.terms)
	idf := make([]float64, width)
	for n := range idf {
		idf[n] = text.Rarity(r.df[n], r.docs)
	}
	mean := max(1, float64(r.bytes)/float64(max(1, r.docs)))
	own := make([]float32, len(r.turns)*width)
	held := make([]uint64, len(r.sessions))
	for i := range r.turns {
		t := &r.turns[i]
		held[t.session] |= t.terms
		for n := range width {
			if tf := float64(t.counts[n]); tf > 0 {
				own[i*width+n] = float32(text.Saturated(tf, max(mean, float64(t.length)), mean))
			}
		}
	}

	scores, best := make([]float64, len(r.turns)), make([]float32, width)
	for i := range r.turns {
		t := &r.turns[i]
		copy(best, own[i*width:])
		for j := max(0, i-reach); j <= i+reach && j < len(r.turns); j++ {
			o := &r.turns[j]
			if o.session != t.session || j == i {
				continue
			}
			share := float32(t.share(o))
			for n := range best {
				best[n] = max(best[n], share*own[j*width+n])
			}
		}
		for n, tf := range best {
			if held[t.session]>>n&1 != 0 {
				tf = max(tf, ofSession)
			}
			scores[i] += idf[n] * float64(tf)
		}
		if t.kind&asks != 0 {
			scores[i] *= questioning
		}
	}
	return scores
}

// share is what a term of turn o counts for turn t, which is near it.
func (t *turn) share(o *turn) float64 {
	switch d := o.turn - t.turn; {
	case d == -1 && o.kind&asks != 0:
		return ofAnswered
	case d == -1 && t.replies(o):
		return ofReplied
	case d == -1:
		return ofPrevious
	case d == 1:
		return ofNext
	case d >= -reach && d <= reach:
		return ofFar
	}
	return 0
}

// replies reports whether t is a short answer of the person to turn o, the one before it.
func (t *turn) replies(o *turn) bool {
	return t.kind&(brief|byUser) == brief|byUser && o.kind&byUser == 0
}

// kind is what a turn is, besides the terms that it holds.
type kind uint8

const (
	byUser kind = 1 << iota
	asks        // more of it asks than answers: it is seldom the answer, but the next turn is
	brief       // it means little without the turn before it: "yes, the second one"
)

// maxBrief is the number of words of a brief turn.
const maxBrief = 8

func kindOf(d Doc) (k kind) {
	if d.User {
		k |= byUser
	}
	if len(d.Text) <= 400 && utf8.RuneCountInString(d.Text) <= 6*maxBrief && len(strings.Fields(d.Text)) <= maxBrief {
		k |= brief
	}
	asked, from := 0, 0
	for i, r := range d.Text {
		switch r {
		case '?', '？', '؟':
			asked += i + 1 - from
			from = i + 1
		case '.', '!', '\n', '。', '！':
			from = i + 1
		}
	}
	if 2*asked > len(d.Text) {
		k |= asks
	}
	return k
}
