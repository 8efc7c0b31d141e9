package search

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/digest"
	relevance "dream-mcp/consolidate/transcript/rank"
	"dream-mcp/consolidate/transcript/said"
)

// A RankedHit is an utterance that may answer a question in words.
type RankedHit struct {
	Hit                    // Match is the first word of the question that is in it, if any is
	Beside *said.Utterance // the turn after it in its session, or before the last one; nil: there is no other
}

// Ranked finds the utterances that are most likely to answer a question in words, the best first. Of
// the query its Speakers (User and Assistant), Since, Until, Session, Limit and Context count. Sessions
// without a digest are read and digested. The Result has no hits; its Matches are the utterances that
// hold any of the words. A *QueryError says what is wrong with the question.
func (s *Store) Ranked(ctx context.Context, question string, q Query) ([]RankedHit, Result, error) {
	words, err := relevance.Parse(question)
	if err != nil {
		return nil, Result{}, &QueryError{Field: "query", Message: err.Error()}
	}
	if err := q.complete(); err != nil {
		return nil, Result{}, err
	}
	w, err := s.walk(ctx, q)
	if err != nil {
		return nil, Result{}, err
	}
	rankings := make([]*relevance.Ranking, runtime.GOMAXPROCS(0))
	for i := range rankings {
		rankings[i] = words.Ranking()
	}
	order, _ := w.order()
	stopped := w.run(ctx, order, func(ctx context.Context, worker, k int) error { return w.rank(ctx, rankings[worker], order[k]) })
	result := w.result(stopped)
	if err := ctx.Err(); err != nil {
		return nil, result, err
	}
	all := rankings[0]
	for _, r := range rankings[1:] {
		all.Merge(r)
	}
	result.Matches = all.Matches()
	var hits []RankedHit
	seen := map[uint64]bool{}
	listed := map[string]bool{}
	// Twice as many as are asked for: what resumed sessions copied is shown once, and so is a turn that
	// is beside a better one.
	for _, top := range all.Top(2 * w.query.Limit) {
		if len(hits) == w.query.Limit {
			break
		}
		hit, key, err := w.rankedHit(ctx, top, words)
		if err != nil {
			return nil, result, err
		}
		if hit == nil || key != 0 && seen[key] || listed[hit.ID] {
			continue
		}
		seen[key], listed[hit.ID] = true, true
		if hit.Beside != nil {
			listed[hit.Beside.ID] = true
		}
		hits = append(hits, *hit)
	}
	return hits, result, nil
}

// rank adds what was said in a session to a ranking.
func (w *walk) rank(ctx context.Context, to *relevance.Ranking, i int) error {
	f := &w.sessions[i]
	_, err := w.parts(ctx, i, func(part *digest.Digest, first int) error {
		w.read.Add(int64(len(part.Text)))
		for at, n := range part.Order() {
			r := &part.Rows[n]
			if when := r.Time(f.ModTime); w.query.wants(r.Speaker(), when) {
				to.Add(relevance.Doc{Text: part.Said(n), User: r.User, Time: when, Session: strconv.Itoa(i), Position: int64(first + at)})
			}
		}
		return nil
	})
	return err
}

// rankedHit reads an utterance that a ranking found, and its key; nil when it is not there any more.
func (w *walk) rankedHit(ctx context.Context, top relevance.Hit, words *relevance.Query) (*RankedHit, uint64, error) {
	i, err := strconv.Atoi(top.Session)
	if err != nil {
		return nil, 0, err
	}
	s, f := w.store, w.sessions[i]
	d, err := s.digests().Fresh(ctx, f, new(atomic.Int64))
	if err != nil {
		return nil, 0, err
	}
	at := func(position int64) (u said.Utterance, key uint64, ok bool) {
		if position < 0 {
			return u, 0, false
		}
		part, n, err := s.digests().Row(f, d, int(position))
		if err != nil {
			return u, 0, false
		}
		n = part.Order()[n]
		return part.Utterance(n, &f), part.Rows[n].Key, true
	}
	u, key, ok := at(top.Position)
	if !ok {
		return nil, 0, nil
	}
	from, to := firstTerm(u.Text, words.Terms())
	h := RankedHit{Hit: s.hit(&u, from, to, w.query.Context)}
	next, _, ok := at(top.Position + 1)
	if !ok {
		next, _, ok = at(top.Position - 1)
	}
	if ok {
		text, _, _ := s.masked(next.Text, 0, 0)
		before, match, after := excerpt(text, 0, 0, w.query.Context)
		next.Text = before + match + after
		h.Beside = &next
	}
	return &h, key, nil
}

// firstTerm returns where the first of some words begins and ends in a text; its beginning where none
// is found as it is written, since words are looked for by their stems.
func firstTerm(text string, terms []string) (from, to int) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return 0, 0 // the places of the one are not those of the other
	}
	for _, term := range terms {
		i := strings.Index(lower, strings.ToLower(term))
		if i >= 0 && (to == 0 || i < from) && utf8.RuneStart(text[i]) {
			from, to = i, i+len(term)
		}
	}
	return from, to
}
