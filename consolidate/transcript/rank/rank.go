// Package rank orders utterances by how likely they answer a question that was asked in plain words.
//
// A [Query] is parsed once; each worker feeds whole sessions, turn by turn, to a [Ranking] of its own;
// rankings are merged and asked for their best turns. Every text is visited once and not kept: what
// stays of a turn that holds one of the query's terms, or is beside one that does, is under a
// hundred bytes. There is no index, no model, and no file.
//
// It promises that the order is the same for the same turns whatever the number of workers (as long as
// fewer than maxTurns turns of one worker match; past that the least promising are dropped), that no input makes it panic, and that memory and time are bounded
// by constants and by the length of the texts. It holds no state on disk, so a crash loses nothing.
//
// It does not promise to understand: a question and an answer that share no word, no stem, no
// synonym of the small lexicon and no neighbourhood do not find each other. Scores of different
// queries cannot be compared.
package rank

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// The bounds of one query and of what one worker keeps.
const (
	maxQuery = 4 << 10 // bytes of a query that are read
	maxTerms = 128     // terms of a query that are looked for
	maxUsed  = 32      // terms that are scored: the rarest of those
	maxWord  = 64      // bytes of the longest word that is compared; longer ones are blobs
	maxCache = 1 << 15 // distinct words whose stem one worker remembers
	maxTurns = 1 << 15 // turns that one ranking keeps before it drops some: 7 MB, twice that within a session
)

// A Doc is one turn: what one speaker said at one time.
type Doc struct {
	Text string

	// User says that a person spoke, and not the model.
	User bool

	// Time may be zero: then the turn counts as the oldest.
	Time time.Time

	// Session names the conversation, Position the turn within it. Both are handed back in a Hit;
	// neighbours are found by the order of Add, so a Position may be a line or an offset.
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
	query   *Query
	scanner scanner

	docs    [2]int           // turns seen: by others, by the user
	bytes   int64            // of all texts seen
	df      [2][maxTerms]int // turns that hold a term, by speaker
	dropped int

	sessions []string
	turns    []turn // by session, in the order of Add

	// The last reach turns before the present one that are not kept yet, the older first, and how many of those to come are
	// kept whatever they hold.
	waiting []turn
	owed    int
	order   int32 // of the present one in its session
}

// reach is how many turns away a turn's neighbours are.
const reach = 2

// A turn is what is kept of a Doc.
type turn struct {
	found
	time     int64 // Unix seconds, 0 when unknown
	position int64
	session  int32 // index into Ranking.sessions
	order    int32 // within the session, from 1
	length   int32 // bytes
	traits   traits
}

// Ranking returns an empty ranking for one worker.
func (q *Query) Ranking() *Ranking {
	return &Ranking{query: q, scanner: newScanner(q.words)}
}

// Add takes the next turn. The turns of one session come one after the other, in order, and to one
// Ranking only; the text is not kept.
func (r *Ranking) Add(d Doc) {
	if len(r.sessions) == 0 || r.sessions[len(r.sessions)-1] != d.Session {
		if len(r.turns) > maxTurns {
			r.prune()
		}
		r.sessions = append(r.sessions, strings.Clone(d.Session))
		r.waiting, r.owed, r.order = nil, 0, 0
	}
	r.order++
	t := turn{
		position: d.Position,
		session:  int32(len(r.sessions) - 1),
		order:    r.order,
		length:   int32(min(len(d.Text), 1<<30)),
		traits:   traitsOf(d.Text),
	}
	side := 0
	if d.User {
		side, t.traits = 1, t.traits|byUser
	}
	if !d.Time.IsZero() {
		t.time = d.Time.Unix()
	}
	r.docs[side]++
	r.bytes += int64(len(d.Text))

	matched := r.scanner.scan(d.Text, &t.found)
	if matched {
		for i, n := range t.counts[:len(r.query.terms)] {
			if n > 0 {
				r.df[side][i]++
			}
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
	for side := range r.docs {
		r.docs[side] += other.docs[side]
		for i, n := range other.df[side] {
			r.df[side][i] += n
		}
	}
	r.bytes += other.bytes
	r.dropped += other.dropped
	r.waiting, r.owed = nil, 0
}

// Matches counts the turns that hold at least one term, dropped ones included.
func (r *Ranking) Matches() int {
	n := r.dropped
	for i := range r.turns {
		if r.turns[i].terms.any() {
			n++
		}
	}
	return n
}

// Top returns the n best turns, the best first; of equals the newer, then by session and position.
func (r *Ranking) Top(n int) []Hit {
	scores := r.scores()
	order := func(a, b int32) int {
		x, y := &r.turns[a], &r.turns[b]
		return cmp.Or(
			cmp.Compare(scores[b], scores[a]),
			cmp.Compare(y.time, x.time),
			cmp.Compare(r.sessions[x.session], r.sessions[y.session]),
			cmp.Compare(x.position, y.position),
			cmp.Compare(x.order, y.order),
		)
	}
	var best []int32
	for i := range int32(len(scores)) {
		if scores[i] > 0 {
			best = append(best, i)
		}
	}
	slices.SortFunc(best, order)
	best = best[:max(0, min(n, len(best)))]
	hits := make([]Hit, len(best))
	for i, b := range best {
		t := &r.turns[b]
		hits[i] = Hit{Session: r.sessions[t.session], Position: t.position, Score: scores[b]}
	}
	return hits
}

// prune keeps the better half of maxTurns by the statistics so far, in their order.
func (r *Ranking) prune() {
	scores, order := r.scores(), make([]int, len(r.turns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	kept := order[:min(len(order), maxTurns/2)]
	for _, i := range order[len(kept):] {
		if r.turns[i].terms.any() {
			r.dropped++
		}
	}
	slices.Sort(kept)
	for k, i := range kept {
		r.turns[k] = r.turns[i]
	}
	r.turns = r.turns[:len(kept)]
}
