package search

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"unicode/utf8"

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
	type worker struct {
		ranking *relevance.Ranking
		files   map[string]*said.File
	}
	workers := make([]worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = worker{words.Ranking(), map[string]*said.File{}}
	}
	result, err := s.Each(ctx, q, func(n int, v *View) error {
		w := &workers[n]
		w.files[v.Session] = v.file
		w.ranking.Add(relevance.Doc{Text: v.Text, User: v.Speaker == said.User, Time: v.Time, Session: v.Session, Position: int64(v.Position)})
		return nil
	})
	if err != nil {
		return nil, result, err
	}
	all := workers[0]
	for _, w := range workers[1:] {
		all.ranking.Merge(w.ranking)
		for session, f := range w.files {
			all.files[session] = f
		}
	}
	result.Matches = all.ranking.Matches()
	var hits []RankedHit
	seen := map[uint64]bool{}
	listed := map[string]bool{}
	// Twice as many as are asked for: what resumed sessions copied is shown once, and so is a turn that
	// is beside a better one.
	for _, top := range all.ranking.Top(2 * q.Limit) {
		if len(hits) == q.Limit {
			break
		}
		hit, key, err := s.rankedHit(ctx, all.files[top.Session], int(top.Position), words, q.Context)
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

// rankedHit reads the utterance at a position among those of its session; nil when it is not there any more.
func (s *Store) rankedHit(ctx context.Context, f *said.File, position int, words *relevance.Query, around int) (*RankedHit, uint64, error) {
	d, err := s.digests().Fresh(ctx, s.making(), *f, new(atomic.Int64))
	if err != nil {
		return nil, 0, err
	}
	at := func(position int) (said.Utterance, uint64, bool) {
		if position < 0 {
			return said.Utterance{}, 0, false
		}
		part, n, err := s.digests().Row(*f, d, position)
		if err != nil {
			return said.Utterance{}, 0, false
		}
		n = part.Order()[n]
		return part.Utterance(n, f), part.Rows[n].Key, true
	}
	u, key, ok := at(position)
	if !ok {
		return nil, 0, nil
	}
	from, to := firstTerm(u.Text, words.Terms())
	h := RankedHit{Hit: Hit{
		ID: u.ID, Session: u.Session, Host: u.Host, Origin: u.Origin, Line: u.Line, Time: u.Time, Speaker: u.Speaker,
		CWD: u.CWD, Branch: u.Branch, UUID: u.UUID,
	}}
	h.Before, h.Match, h.After = s.excerpt(u.Text, from, to, around)
	next, _, ok := at(position + 1)
	if !ok {
		next, _, ok = at(position - 1)
	}
	if ok {
		before, match, after := s.excerpt(next.Text, 0, 0, around)
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
		i := strings.Index(lower, term)
		if i >= 0 && (to == 0 || i < from) && utf8.RuneStart(text[i]) {
			from, to = i, i+len(term)
		}
	}
	return from, to
}
