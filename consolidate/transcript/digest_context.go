package transcript

import (
	"cmp"
	"context"
	"fmt"
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
// and after it, in the order of the session; at most 50 on each side. Texts are cut, and the turns
// farthest away left out, where they would pass some 32,000 bytes; "…" is where a text was cut. Its
// errors are those of Lookup.
func (s *Store) ContextOf(ctx context.Context, id string, n int) ([]Utterance, error) {
	n = max(0, min(n, 50))
	session, line, place, err := s.parseID(ctx, id)
	if err != nil {
		return nil, err
	}
	hit, err := s.utterance(ctx, session, line, place)
	if err == ErrNotFound {
		err = fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	hit.Text = cutText(s.masked(hit.Text), maxTurns/2)
	var before, after []Utterance
	d, err := s.digests().fresh(ctx, s.making(), session.file, new(atomic.Int64))
	if err != nil {
		return nil, err
	}
	err = s.digests().each(session.file, d, func(part *digest, _ int) error {
		order := part.order()
		for at := range part.rows {
			i := at
			if order != nil {
				i = order[at]
			}
			r := &part.rows[i]
			switch where := cmp.Or(cmp.Compare(int(r.line), line), cmp.Compare(int(r.place), place)); {
			case where < 0:
				if before = append(before, part.utterance(i, &session.file)); len(before) > n {
					before = before[1:]
				}
			case where > 0 && len(after) < n:
				after = append(after, part.utterance(i, &session.file))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	turns := []Utterance{hit}
	left := maxTurns - len(hit.Text)
	fits := func(u *Utterance) bool {
		u.Text = cutText(s.masked(u.Text), maxTurn)
		left -= len(u.Text)
		return left >= 0
	}
	for i := range n {
		if k := len(before) - 1 - i; k >= 0 && fits(&before[k]) {
			turns = append([]Utterance{before[k]}, turns...)
		}
		if i < len(after) && fits(&after[i]) {
			turns = append(turns, after[i])
		}
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
