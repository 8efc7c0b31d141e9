package search

import (
	"cmp"
	"context"
	"math"
	"slices"
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
	short    []string // what IDs call each session
	said     bool     // people or the model are asked for

	found   [][]found // of each session
	amount  int       // how many those are
	edge    int64     // the time of the last match on the page, as far as is known
	due     int       // as many matches are looked at for that the next time
	certain bool      // the sessions that are left cannot change the page
}

func newScan(w *walk, patterns []*pattern, after *position) *scan {
	s := &scan{
		walk: w, patterns: patterns, after: after, short: make([]string, len(w.sessions)), edge: math.MinInt64,
		said: slices.Contains(w.query.Speakers, said.User) || slices.Contains(w.query.Speakers, said.Assistant),
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
	return s.walk.run(ctx, order, func(ctx context.Context, _, k int) error {
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
		if !s.certain && through < len(order) && s.fills(latest[through]) {
			s.certain = true
			if s.store.Counting <= 0 {
				stop()
			}
			time.AfterFunc(s.store.Counting, stop)
		}
		return err
	})
}

// fills reports whether what is found fills the page, whatever sessions hold that hold nothing later than a time. A match
// of the time at which the last page ended counts as before this one, since it may be a copy of what was shown.
func (s *scan) fills(latest int64) bool {
	if s.amount < s.query.Limit || s.amount < s.due && s.edge <= latest {
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
// folded, the newest is shown; alike says how many there are of each likeness.
func (s *scan) page(all []found, after *position) (shown []found, alike map[uint64]int) {
	slices.SortFunc(all, func(a, b found) int { return s.position(a).compare(s.position(b)) })
	alike = map[uint64]int{}
	for _, f := range all {
		if f.alike != 0 {
			if alike[f.alike]++; alike[f.alike] > 1 {
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
	taken := make([]bool, len(d.Rows))
	wanted := func(n int) bool {
		r := &d.Rows[n]
		return !taken[n] && s.query.wants(r.Speaker(), r.Time(f.ModTime))
	}
	take := func(n int) {
		r := &d.Rows[n]
		taken[n] = true
		all = append(all, found{
			time: digest.Nanoseconds(r.Time(f.ModTime)), line: r.Line, place: r.Place, file: int32(i), row: int32(first + n),
			offset: r.Offset, key: r.Key, alike: s.likeness(r.Speaker(), d.Said(n)),
		})
	}
	s.read.Add(int64(len(d.Text)))
	for _, p := range s.patterns {
		p.rows(d, wanted, take)
	}
	return all
}

// matches reports whether one of the patterns is in a text.
func (s *scan) matches(text string) bool {
	return slices.ContainsFunc(s.patterns, func(p *pattern) bool { return p.matches(text) })
}

// likeness is the same for texts that are alike, where the query asks for that.
func (s *scan) likeness(speaker said.Speaker, text string) uint64 {
	if !s.query.Fold {
		return 0
	}
	return alike(speaker, text)
}
