package transcript

import (
	"context"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// The bounds of ContextOf, in bytes of text: of one turn beside the hit, and of all that it returns.
const (
	maxTurn  = 2_000
	maxTurns = 32_000
)

// ContextOf returns the utterance that an id names and the n turns of the person and the model before
// and behind it, in the order of the session; at most 50 on each side. Texts are cut, and the turns
// farthest away left out, where they would pass some 32,000 bytes; "…" stands where a text was cut. Its
// errors are those of Lookup.
func (s *Store) ContextOf(ctx context.Context, id string, n int) ([]Utterance, error) {
	n = max(0, min(n, 50))
	session, line, err := s.parseID(ctx, id)
	if err != nil {
		return nil, err
	}
	said, err := s.utterance(ctx, session, shortID(session.id)+id[strings.LastIndexByte(id, ':'):], line)
	if err != nil {
		return nil, err
	}
	hit := said.Utterance
	hit.Text = cutText(s.masked(hit.Text), maxTurns/2)
	d, err := s.digests().fresh(ctx, s.making(), session.file, new(atomic.Int64), true)
	if d == nil {
		return []Utterance{hit}, err
	}
	order := d.order()
	at := func(i int) int {
		if order != nil {
			return order[i]
		}
		return i
	}
	// Where the hit stands, or would: what tools said is in no digest.
	here, found := 0, false
	for ; here < len(d.rows); here++ {
		r := &d.rows[at(here)]
		if int(r.line) > said.Line || int(r.line) == said.Line && int(r.place) >= said.place {
			found = int(r.line) == said.Line && int(r.place) == said.place
			break
		}
	}
	before, behind := here-1, here
	if found {
		behind++
	}
	turns := []Utterance{hit}
	left := maxTurns - len(hit.Text)
	add := func(i int) (Utterance, bool) {
		if i < 0 || i >= len(d.rows) {
			return Utterance{}, false
		}
		u := d.utterance(at(i), &session.file)
		u.Text = cutText(s.masked(u.Text), maxTurn)
		left -= len(u.Text)
		return u, left >= 0
	}
	for range n {
		if u, ok := add(before); ok {
			turns = append([]Utterance{u}, turns...)
		}
		if u, ok := add(behind); ok {
			turns = append(turns, u)
		}
		before, behind = before-1, behind+1
	}
	return turns, nil
}

// cutText is a text of at most so many bytes, and what says that it goes on.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.TrimRight(text[:most], " \n") + ellipsis
}
