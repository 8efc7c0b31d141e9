package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
)

// A match is the place of an utterance. Its text is read again if it is shown.
type match struct {
	time     int64 // as in a position, and so line and place; the session is the file's
	offset   int64
	mask     uint64    // the patterns that match, a bit each
	key      uint64    // the same for copies of one record; 0: none
	alike    uint64    // the same for texts that are alike; 0: none
	recorded *recorded // of a tool; nil: a person or the model said it
	line     int32
	place    int32
	file     int32 // in the order of the listing: an older file has a higher number
}

// position is the place of a match in the order of hits.
func (s *scan) position(f match) position {
	return position{Time: f.time, Session: s.short[f.file], Line: int(f.line), Place: int(f.place)}
}

// A scan is a walk that looks for matches.
type scan struct {
	*walk
	patterns []*pattern
	after    *position
	short    []string       // what IDs call each session
	within   []atomic.Int64 // of each pattern, as in Found
	said     bool           // people or the model are asked for

	found [][]match // of each session
}

func newScan(w *walk, patterns []*pattern, after *position) *scan {
	s := &scan{
		walk: w, patterns: patterns, after: after, short: make([]string, len(w.sessions)), found: make([][]match, len(w.sessions)),
		within: make([]atomic.Int64, len(patterns)),
		said:   slices.Contains(w.query.Speakers, said.User) || slices.Contains(w.query.Speakers, said.Assistant),
	}
	for i := range w.sessions {
		s.short[i] = said.ShortID(w.sessions[i].Key())
	}
	return s
}

// run searches the sessions.
func (s *scan) run(ctx context.Context) error {
	return s.walk.run(ctx, func(_, i int) (skipped said.Skipped, err error) {
		s.found[i], skipped, err = s.session(ctx, i)
		return skipped, err
	})
}

// distinct returns what was found, of each record the copy in the oldest file, or the first in one file.
func (s *scan) distinct() []match {
	all := slices.Concat(s.found...)
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.file, a.file), cmp.Compare(a.line, b.line), cmp.Compare(a.place, b.place))
	})
	return slices.CompactFunc(all, func(a, b match) bool { return a.key != 0 && a.key == b.key })
}

// page sorts matches, and returns those that a page after a position shows, and one more. When hits that are alike are
// folded, the newest is shown; alike has the files of all of each likeness.
func (s *scan) page(all []match, after *position) (shown []match, alike map[uint64][]int32) {
	slices.SortFunc(all, func(a, b match) int { return s.position(a).compare(s.position(b)) })
	alike = map[uint64][]int32{}
	for _, f := range all {
		if f.alike != 0 {
			if alike[f.alike] = append(alike[f.alike], f.file); len(alike[f.alike]) > 1 {
				continue
			}
		}
		if len(shown) <= s.query.Limit && (after == nil || s.position(f).compare(*after) > 0) {
			shown = append(shown, f)
		}
	}
	return shown, alike
}

// session searches one session: what was said in the database, what tools said in its transcript.
func (s *scan) session(ctx context.Context, i int) (all []match, skipped said.Skipped, err error) {
	if s.said {
		said, passed, err := s.store.cache().Said(ctx, s.sessions[i])
		if err != nil {
			return nil, nil, err
		}
		all, skipped = s.inSaid(said, i), passed
	}
	if !s.query.hasTools() {
		return all, skipped, nil
	}
	inTools, passed, err := s.inTools(ctx, i)
	if !s.said {
		skipped = passed
	}
	return append(all, inTools...), skipped, err
}

// inSaid searches what was said in a session.
func (s *scan) inSaid(said []cache.Said, i int) (all []match) {
	for k := range said {
		u := &said[k]
		s.read.Add(int64(len(u.Text)))
		if !s.query.wants(u.Speaker, u.Time) {
			continue
		}
		if mask := s.matches(u.Text); mask != 0 {
			all = append(all, match{
				time: cache.Nanoseconds(u.Time), line: int32(u.Line), place: int32(u.Place), file: int32(i),
				mask: mask, key: u.Key, alike: s.likeness(u.Speaker, u.Text, mask),
			})
		}
	}
	return all
}

// matches returns which of the patterns are in a text, a bit each, and counts those that are in it as a part of words
// only.
func (s *scan) matches(text string) (mask uint64) {
	folded := foldFor(s.patterns, text)
	for k, p := range s.patterns {
		switch is, within := p.in(text, folded); {
		case is:
			mask |= 1 << k
		case within:
			s.within[k].Add(1)
		}
	}
	return mask
}

// likeness is the same for texts that are alike, where the query asks for that. Of what a tool said the line with the
// match counts: logs repeat line by line.
func (s *scan) likeness(speaker said.Speaker, text string, mask uint64) uint64 {
	if !s.query.Fold {
		return 0
	}
	if speaker == said.Tool {
		if start, end, ok := s.patterns[bits.TrailingZeros64(mask)].find(text); ok {
			text = lineOf(text, start, end)
		}
	}
	return alike(speaker, text)
}
