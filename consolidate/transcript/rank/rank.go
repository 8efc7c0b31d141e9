// Package rank orders utterances by how likely they answer a question that was asked in plain words.
//
// A [Query] is parsed once. Each worker adds whole sessions, turn by turn, to a [Ranking] of its own. Rankings are
// merged and asked for their best turns. Every text is visited once and not kept: what stays of a turn that holds one
// of the query's terms, or is beside one that does, is about a hundred bytes. It uses no index, no model and no file.
//
// A turn is scored as in BM25 over the terms of memory/text. A term that a neighbour or the rest of the session holds
// counts by a share, since an answer seldom repeats the words of its question.
//
// It promises that the order is the same for the same turns whatever the number of workers, as long as fewer than
// maxTurns turns of one worker match; past that the least promising are not kept. No input makes it panic, and memory
// and time are bounded by constants and by the length of the texts.
//
// It does not promise to understand: a question and an answer that share no word, no stem and no neighbourhood do not
// find each other. Scores of different queries cannot be compared.
package rank

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory/text"
)

// The bounds of what one worker keeps.
const (
	maxCache = 1 << 15 // distinct tokens whose terms one worker remembers
	maxTurns = 1 << 15 // turns that one ranking keeps before it drops some: 4 MB, twice that within a session
)

// A Doc is one turn: what one speaker said at one time.
type Doc struct {
	Text string

	// User says that a person spoke, and not the model.
	User bool

	// Time may be zero: then the turn counts as the oldest.
	Time time.Time

	// Session names the conversation, Position the turn within it. Both are handed back in a Hit; neighbours are found
	// by the order of Add, so a Position may be a line or an offset.
	Session  string
	Position int64
}

// A Hit is one turn of an answer. Scores are positive and mean something within one answer only.
type Hit struct {
	Session  string
	Position int64
	Score    float64
}

// A Ranking collects the turns that one worker saw. It is not safe for concurrent use.
type Ranking struct {
	query *Query
	cache map[string][]int // the terms of the query that a token has

	docs     int           // turns seen
	bytes    int64         // of all texts seen
	df       [maxTerms]int // turns that hold a term
	matches  int           // turns that hold a term
	sessions []string
	turns    []turn // by session, in the order of Add

	// The last reach turns before the present one that are not kept yet, the older first, and how many of those to come
	// are kept whatever they hold.
	waiting []turn
	owed    int
	at      int32 // the number of the present one in its session
}

// reach is how many turns away a turn's neighbours are.
const reach = 2

// A turn is what is kept of a Doc.
type turn struct {
	counts   [maxTerms]uint8
	terms    uint64 // those with a count
	time     int64  // Unix seconds, 0 when unknown
	position int64
	session  int32 // index into Ranking.sessions
	turn     int32 // within the session, from 1
	length   int32 // bytes
	kind     kind
}

// Ranking returns an empty ranking for one worker.
func (q *Query) Ranking() *Ranking { return &Ranking{query: q, cache: map[string][]int{}} }

// Add takes the next turn. The turns of one session come one after the other, in order, and to one Ranking only; the
// text is not kept.
func (r *Ranking) Add(d Doc) {
	if len(r.sessions) == 0 || r.sessions[len(r.sessions)-1] != d.Session {
		if len(r.turns) > maxTurns {
			r.prune()
		}
		r.sessions = append(r.sessions, strings.Clone(d.Session))
		r.waiting, r.owed, r.at = nil, 0, 0
	}
	r.at++
	t := turn{position: d.Position, session: int32(len(r.sessions) - 1), turn: r.at, length: int32(min(len(d.Text), 1<<30)), kind: kindOf(d)}
	if !d.Time.IsZero() {
		t.time = d.Time.Unix()
	}
	r.docs++
	r.bytes += int64(len(d.Text))
	r.count(d.Text, &t)
	if t.terms != 0 {
		r.matches++
		for n, count := range t.counts {
			r.df[n] += int(min(1, count))
		}
		for _, w := range r.waiting {
			r.keep(w)
		}
		r.waiting, r.owed = r.waiting[:0], reach+1
	}
	if r.owed > 0 {
		r.keep(t)
		r.owed--
		return
	}
	r.waiting = append(r.waiting, t)
	r.waiting = r.waiting[max(0, len(r.waiting)-reach):]
}

// count counts the query's terms in a text.
func (r *Ranking) count(said string, t *turn) {
	if r.query.dense {
		said = text.Composed(said)
	}
	text.EachToken(said, func(token string, kind text.Kind) {
		if kind == text.Pair && !r.query.dense {
			return
		}
		terms, ok := r.cache[token]
		if !ok {
			for _, stem := range r.query.stems(token, kind) {
				if n, ok := r.query.byStem[stem]; ok && !slices.Contains(terms, n) {
					terms = append(terms, n)
				}
			}
			if len(r.cache) >= maxCache {
				clear(r.cache)
			}
			r.cache[strings.Clone(token)] = terms
		}
		for _, n := range terms {
			t.counts[n] = min(t.counts[n], 254) + 1
			t.terms |= 1 << n
		}
	})
}

func (r *Ranking) keep(t turn) {
	r.turns = append(r.turns, t)
	// A single session can be larger than all that is kept.
	if len(r.turns) > 2*maxTurns {
		r.prune()
	}
}

// Merge adds what another worker collected for the same query. The other ranking is spent.
func (r *Ranking) Merge(other *Ranking) {
	base := int32(len(r.sessions))
	r.sessions = append(r.sessions, other.sessions...)
	for _, t := range other.turns {
		t.session += base
		r.turns = append(r.turns, t)
	}
	for n, count := range other.df {
		r.df[n] += count
	}
	r.docs += other.docs
	r.bytes += other.bytes
	r.matches += other.matches
	r.waiting, r.owed = nil, 0
}

// Matches counts the turns that hold at least one term.
func (r *Ranking) Matches() int { return r.matches }

// Top returns the n best turns, the best first; of equals the newer, then by session and position.
func (r *Ranking) Top(n int) (hits []Hit) {
	order, scores := r.best()
	for _, i := range order[:max(0, min(n, len(order)))] {
		if scores[i] > 0 {
			hits = append(hits, Hit{r.sessions[r.turns[i].session], r.turns[i].position, scores[i]})
		}
	}
	return hits
}

// best returns the turns that are kept, by index, the best first, and the scores of all.
func (r *Ranking) best() (order []int, scores []float64) {
	scores, order = r.scores(), make([]int, len(r.turns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &r.turns[a], &r.turns[b]
		return cmp.Or(
			cmp.Compare(scores[b], scores[a]),
			cmp.Compare(y.time, x.time),
			cmp.Compare(r.sessions[x.session], r.sessions[y.session]),
			cmp.Compare(x.position, y.position),
			cmp.Compare(x.turn, y.turn),
		)
	})
	return order, scores
}

// prune keeps the better half of maxTurns by the statistics so far, in their order.
func (r *Ranking) prune() {
	order, _ := r.best()
	kept := order[:min(len(order), maxTurns/2)]
	slices.Sort(kept)
	for k, i := range kept {
		r.turns[k] = r.turns[i]
	}
	r.turns = r.turns[:len(kept)]
}
