package search

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	relevance "dream-mcp/consolidate/transcript/rank"
	"dream-mcp/consolidate/transcript/said"
)

// A RankedHit is an utterance that may answer a question in words.
type RankedHit struct {
	Hit                    // Match is the first word of the question that is in it, if any is
	Beside *said.Utterance // the turn after it in its session, or before the last one; nil: there is no other
}

// Ranked finds the utterances that are most likely to answer a question in words, the best first. Of the query its
// Speakers (User and Assistant), Since, Until, Session, Limit and Context count. The Result has no hits; its Matches
// are the utterances that hold any of the words. A *QueryError says what is wrong with the question.
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
	if err := w.run(ctx, func(worker, i int) (said.Skipped, error) { return nil, w.rank(ctx, rankings[worker], i) }); err != nil {
		return nil, Result{}, err
	}
	result := w.result()
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

// rank adds what was said in a session to a ranking. A position is an index in what was said.
func (w *walk) rank(ctx context.Context, to *relevance.Ranking, i int) error {
	all, _, err := w.store.cache().Said(ctx, w.sessions[i])
	for n := range all {
		u := &all[n]
		w.read.Add(int64(len(u.Text)))
		if w.query.wants(u.Speaker, u.Time) {
			to.Add(relevance.Doc{Text: u.Text, User: u.Speaker == said.User, Time: u.Time, Session: strconv.Itoa(i), Position: int64(n)})
		}
	}
	return err
}

// rankedHit reads an utterance that a ranking found, and its key; nil when it is not there any more.
func (w *walk) rankedHit(ctx context.Context, top relevance.Hit, words *relevance.Query) (*RankedHit, uint64, error) {
	i, err := strconv.Atoi(top.Session)
	if err != nil {
		return nil, 0, err
	}
	s, f := w.store, w.sessions[i]
	all, _, err := s.cache().Said(ctx, f)
	n := int(top.Position)
	if err != nil || n >= len(all) {
		return nil, 0, err
	}
	u, found, err := s.cache().At(ctx, f, all[n].Line, all[n].Place)
	if !found || err != nil {
		return nil, 0, err
	}
	from, to := firstTerm(u.Text, words.Terms())
	h := RankedHit{Hit: s.hit(&u, from, to, w.query.Context)}
	beside := n + 1
	if beside == len(all) {
		beside = n - 1
	}
	if beside >= 0 {
		next := utteranceOf(all[beside], f)
		text, _, _ := s.masked(next.Text, 0, 0)
		before, match, after := excerpt(text, 0, 0, w.query.Context)
		next.Text = before + match + after
		h.Beside = &next
	}
	return &h, all[n].Key, nil
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
