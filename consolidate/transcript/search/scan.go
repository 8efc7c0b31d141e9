package search

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/said"
)

// maxFound bounds the matches of one search: some 50 MB.
const maxFound = 1 << 19

// A found match is the place of an utterance. Its text is read again if it is shown.
type found struct {
	time     int64 // as in a position, and so line and place; the session is the file's
	offset   int64
	mask     uint16    // the patterns that match, a bit each
	key      uint64    // the same for copies of one record; 0: none
	alike    uint64    // the same for texts that are alike; 0: none
	recorded *recorded // of a tool
	line     int32
	place    int32
	file     int32 // in the order of the listing: an older file has a higher number
	row      int32 // in the file's digest; -1: a tool said it
}

// position is the place of a match in the order of hits.
func (s *scan) position(f found) position {
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

	found   [][]found // of each session
	amount  int       // how many those are
	edge    int64     // the time of the last match on the page, as far as is known
	due     int       // as many matches are looked at for that the next time
	certain bool      // the sessions that are left cannot change the page
}

func newScan(w *walk, patterns []*pattern, after *position) *scan {
	s := &scan{
		walk: w, patterns: patterns, after: after, short: make([]string, len(w.sessions)), edge: math.MinInt64,
		within: make([]atomic.Int64, len(patterns)),
		said:   slices.Contains(w.query.Speakers, said.User) || slices.Contains(w.query.Speakers, said.Assistant),
	}
	for i := range w.sessions {
		s.short[i] = said.ShortID(w.sessions[i].ID)
	}
	return s
}

// run searches the sessions, the newest first, and reports whether it stopped before the end: since the page is certain
// and Store.Counting is over, or else.
func (s *scan) run(ctx context.Context) (stopped bool) {
	order, latest := s.order()
	ended, through := make([]bool, len(order)), 0 // the first so many have ended
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stopped = s.walk.run(ctx, order, func(ctx context.Context, _, k int) error {
		all, skipped, err := s.session(ctx, order[k])
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found, s.amount = append(s.found, all), s.amount+len(all)
		s.skipped.Add(skipped)
		if s.amount >= maxFound {
			return errEnough
		}
		if err == errEnough || err != nil && ctx.Err() != nil {
			return err
		}
		for ended[k] = true; through < len(order) && ended[through]; {
			through++
		}
		if !s.certain && through < len(order) && s.pageIsFinal(latest[through]) {
			s.certain = true
			if s.store.Counting <= 0 {
				stop()
			}
			time.AfterFunc(s.store.Counting, stop)
		}
		return err
	})
	s.due = 0
	s.certain = s.certain || through < len(order) && s.pageIsFinal(latest[through])
	return stopped
}

// pageIsFinal reports whether no unread session can change the page: none of them has anything after latest. A match
// of the time at which the last page ended counts as before this one, since it may be a copy of what was shown.
func (s *scan) pageIsFinal(latest int64) bool {
	if s.unjudged || len(s.patterns) > 1 || s.amount < s.query.Limit || s.amount < s.due && s.edge <= latest {
		return false
	}
	s.due, s.edge = s.amount+s.amount/8+1, math.MinInt64
	after := s.after
	if after != nil {
		after = &position{Time: after.Time - 1}
	}
	if shown, _ := s.page(s.distinct(), after); len(shown) >= s.query.Limit {
		s.edge = shown[s.query.Limit-1].time
	}
	return s.edge > latest
}

// distinct returns what was found, of each record the copy in the oldest file, or the first in one file.
func (s *scan) distinct() []found {
	all := slices.Concat(s.found...)
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.file, a.file), cmp.Compare(a.line, b.line), cmp.Compare(a.place, b.place))
	})
	return slices.CompactFunc(all, func(a, b found) bool { return a.key != 0 && a.key == b.key })
}

// page sorts matches, and returns those that a page after a position shows, and one more. When hits that are alike are
// folded, the newest is shown; alike has the files of all of each likeness.
func (s *scan) page(all []found, after *position) (shown []found, alike map[uint64][]int32) {
	slices.SortFunc(all, func(a, b found) int { return s.position(a).compare(s.position(b)) })
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

// session searches one session: what was said in its digest, what tools said in its transcript.
func (s *scan) session(ctx context.Context, i int) (all []found, skipped said.Skipped, err error) {
	if s.said {
		d, err := s.parts(ctx, i, func(part *digest.Digest, first int) error {
			if all = s.inDigest(part, first, i, all); len(all) >= maxFound {
				return errEnough
			}
			return nil
		})
		if err != nil {
			return all, nil, err
		}
		skipped = d.Head.Skipped
	}
	if !s.query.hasTools() {
		return all, skipped, nil
	}
	inTools, met, err := s.inTools(ctx, i)
	if !s.said {
		skipped = met
	}
	return append(all, inTools...), skipped, err
}

// inDigest searches one part of a digest.
func (s *scan) inDigest(d *digest.Digest, first, i int, all []found) []found {
	f := &s.sessions[i]
	wanted := func(n int) bool {
		r := &d.Rows[n]
		return s.query.wants(r.Speaker(), r.Time(f.ModTime))
	}
	s.read.Add(int64(len(d.Text)))
	masks := make([]uint16, len(d.Rows))
	for k, p := range s.patterns {
		p.rows(d, wanted, func(n int) { masks[n] |= 1 << k }, func(int) { s.within[k].Add(1) })
	}
	for n, mask := range masks {
		if mask == 0 {
			continue
		}
		r := &d.Rows[n]
		all = append(all, found{
			time: digest.Nanoseconds(r.Time(f.ModTime)), line: r.Line, place: r.Place, file: int32(i), row: int32(first + n),
			mask: mask, offset: r.Offset, key: r.Key, alike: s.likeness(r.Speaker(), d.Said(n), mask),
		})
	}
	return all
}

// matches returns which of the patterns are in a text, a bit each.
func (s *scan) matches(text string) (mask uint16) {
	for k, p := range s.patterns {
		if p.matches(text) {
			mask |= 1 << k
		}
	}
	return mask
}

// likeness is the same for texts that are alike, where the query asks for that. Of what a tool said the line with the match
// counts: logs repeat line by line.
func (s *scan) likeness(speaker said.Speaker, text string, mask uint16) uint64 {
	if !s.query.Fold {
		return 0
	}
	if speaker == said.Tool {
		if start, end, ok := s.patterns[bits.TrailingZeros16(mask)].find(text); ok {
			text = lineOf(text, start, end)
		}
	}
	return alike(speaker, text)
}
