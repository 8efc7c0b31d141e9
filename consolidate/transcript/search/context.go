package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/text"
	"dream-mcp/memory/visible"
)

// The bounds of ContextOf, in bytes of text: of one turn beside an utterance that is asked for, and of all that it
// returns.
const (
	maxTurn  = 2_000
	maxBrief = 160 // of one turn beside one of several utterances
	maxTurns = 32_000
)

// A Turn is an utterance around those that were asked for, or one of these.
type Turn struct {
	said.Utterance
	Asked  bool // it is whole, if there is room
	Listed bool // for the caller: it was shown whole before
}

// ContextOf returns the utterances that some IDs name, with the n turns of the person and the model before and after
// each, at most 50 on each side, in the order of the IDs and of the session, each once. Of several IDs these are the
// last turn before and, of those after up to the next of the person, the one that shares most words with the utterance,
// or the first. A turn is cut after some 2,000 bytes, of several IDs after 160, and those farthest away are left out
// where all together pass some 32,000; "…" is where a text was cut. Its errors are those of Lookup. If some of the IDs
// fail, it returns the turns of the others with the joined errors.
func (s *Store) ContextOf(ctx context.Context, ids []string, n int) ([]Turn, error) {
	n = max(0, min(n, 50))
	var all []Turn
	var failed []error
	at, order := map[string]int{}, map[string]int{} // of each ID in all, and of each session
	for _, id := range ids {
		turns, err := s.around(ctx, id, n, len(ids))
		if err != nil {
			failed = append(failed, err)
		}
		for _, turn := range turns {
			i, known := at[turn.ID]
			if _, begun := order[turn.Session]; !begun {
				order[turn.Session] = len(order)
			}
			switch {
			case !known:
				at[turn.ID] = len(all)
				all = append(all, turn)
			case turn.Asked:
				all[i] = turn
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Turn) int {
		return cmp.Or(order[a.Session]-order[b.Session], a.Line-b.Line)
	})
	return all, errors.Join(failed...)
}

// around returns an utterance and the turns around it, in one of some parts of the room.
func (s *Store) around(ctx context.Context, id string, n, parts int) ([]Turn, error) {
	session, line, place, err := s.parseID(ctx, id)
	if err != nil {
		return nil, err
	}
	hit, err := s.utterance(ctx, session, line, place)
	if err == sessions.ErrNotFound {
		err = fmt.Errorf("%w: %q", sessions.ErrNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	hit.Text = visible.Cut(s.Masked(hit.Text), maxTurns/max(2, parts))
	all, _, err := s.cache().Said(ctx, session)
	if err != nil {
		return nil, err
	}
	var before, after []Turn
	for _, u := range all {
		turn := Turn{Utterance: utteranceOf(u, session)}
		switch where := cmp.Or(cmp.Compare(u.Line, line), cmp.Compare(u.Place, place)); {
		case where < 0:
			if before = append(before, turn); len(before) > n {
				before = before[1:]
			}
		case where > 0 && len(after) < n:
			after = append(after, turn)
		}
	}
	turns := []Turn{{Utterance: hit, Asked: true}}
	left, most := maxTurns/parts-len(hit.Text), maxTurn
	if parts > 1 {
		most, before, after = maxBrief, before[max(0, len(before)-1):], answering(hit.Text, after)
	}
	fits := func(u *Turn) bool {
		u.Text = visible.Cut(s.Masked(u.Text), most)
		left -= len(u.Text)
		return left >= 0
	}
	for i := range n {
		if k := len(before) - 1 - i; k >= 0 && fits(&before[k]) {
			turns = append([]Turn{before[k]}, turns...)
		}
		if i < len(after) && fits(&after[i]) {
			turns = append(turns, after[i])
		}
	}
	return turns, nil
}

// answering returns the turn that answers a text: of those before the person speaks again, the one that shares most
// words with it.
func answering(s string, turns []Turn) []Turn {
	asked, best, most := text.TermsOf(s), -1, -1
	for i, t := range turns {
		if t.Speaker == said.User {
			break
		}
		shared := 0
		for _, term := range text.TermsOf(visible.Cut(t.Text, maxTurn)) {
			if slices.Contains(asked, term) {
				shared++
			}
		}
		if shared > most {
			best, most = i, shared
		}
	}
	if best < 0 {
		return nil
	}
	return turns[best : best+1]
}

// utteranceOf returns an utterance without its directory, branch, origin and UUID.
func utteranceOf(u cache.Said, session said.File) said.Utterance {
	return said.Utterance{
		ID: said.HitID(session.Key(), u.Line, u.Place), Session: session.Key(), Host: session.Host(),
		Line: u.Line, Time: u.Time, Speaker: u.Speaker, Text: u.Text,
	}
}
