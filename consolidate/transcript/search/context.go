package search

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
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
func (s *Store) ContextOf(ctx context.Context, id string, n int) ([]said.Utterance, error) {
	n = max(0, min(n, 50))
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
	hit.Text = cutText(s.Masked(hit.Text), maxTurns/2)
	var before, after []said.Utterance
	_, err = s.parts(ctx, session, new(atomic.Int64), func(part *digest.Digest, _ int) error {
		for _, i := range part.Order() {
			r := &part.Rows[i]
			switch where := cmp.Or(cmp.Compare(int(r.Line), line), cmp.Compare(int(r.Place), place)); {
			case where < 0:
				if before = append(before, part.Utterance(i, &session)); len(before) > n {
					before = before[1:]
				}
			case where > 0 && len(after) < n:
				after = append(after, part.Utterance(i, &session))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	turns := []said.Utterance{hit}
	left := maxTurns - len(hit.Text)
	fits := func(u *said.Utterance) bool {
		u.Text = cutText(s.Masked(u.Text), maxTurn)
		left -= len(u.Text)
		return left >= 0
	}
	for i := range n {
		if k := len(before) - 1 - i; k >= 0 && fits(&before[k]) {
			turns = append([]said.Utterance{before[k]}, turns...)
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
