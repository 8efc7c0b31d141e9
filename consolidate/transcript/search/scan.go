package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
)

// maxFound bounds the matches of one search: some 50 MB.
const maxFound = 1 << 19

// errEnough ends a search that has found maxFound matches.
var errEnough = errors.New("more is found than one search keeps")

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
func (s *scan) position(f *found) position {
	return position{Time: f.time, Session: s.short[f.file], Line: int(f.line), Place: int(f.place)}
}

// A scan is the part of a search that looks at every session.
type scan struct {
	store    *Store
	making   digest.Maker
	query    Query
	patterns []*pattern
	after    *position
	sessions []said.File
	short    []string // what IDs call each of them
	said     bool     // people or the model are asked for
	read     atomic.Int64

	mu       sync.Mutex
	found    [][]found       // of each session
	amount   int             // how many those are
	best     []found         // the page so far, and one more
	before   map[uint64]bool // the likenesses of what is before the page, or may be
	skipped  said.Skipped
	searched int   // sessions begun
	finished int   // sessions searched to their end
	certain  bool  // the sessions that are left cannot change the page
	lacking  []int // sessions without a digest
}

func newScan(store *Store, q Query, patterns []*pattern, after *position, sessions []said.File, skipped said.Skipped) *scan {
	short := make([]string, len(sessions))
	for i := range sessions {
		short[i] = said.ShortID(sessions[i].ID)
	}
	return &scan{
		store: store, short: short, making: store.making(), query: q, patterns: patterns, after: after, sessions: sessions, skipped: skipped,
		said:   slices.Contains(q.Speakers, said.User) || slices.Contains(q.Speakers, said.Assistant),
		before: map[uint64]bool{},
	}
}

// run searches all sessions, and reports whether it stopped before the end.
func (s *scan) run(ctx context.Context) (stopped bool) {
	order, latest := s.order()
	ended, through := make([]bool, len(order)), 0 // the first so many have ended
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var counting *time.Timer
	err := parallel.Do(ctx, len(order), func(k int) error {
		all, skipped, err := s.session(ctx, order[k])
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(all) > 0 {
			s.found = append(s.found, all)
			s.amount += len(all)
		}
		for j := range all {
			s.take(&all[j])
		}
		s.skipped.Add(skipped)
		s.searched++
		switch halted := ctx.Err() != nil || err == errEnough; {
		case halted || s.amount >= maxFound:
			return errEnough
		case err != nil:
			s.skipped[said.Unreadable]++
		}
		s.finished++
		for ended[k] = true; through < len(order) && ended[through]; {
			through++
		}
		if !s.certain && through < len(order) && len(s.best) >= s.query.Limit && latest[through] < s.best[s.query.Limit-1].time {
			s.certain = true
			if s.store.Counting <= 0 {
				stop()
				return errEnough
			}
			counting = time.AfterFunc(s.store.Counting, stop)
		}
		return nil
	})
	if counting != nil {
		counting.Stop()
	}
	return err != nil
}

// order returns the sessions by the latest time that they can hold, the newest first, and that time of each: of its
// digest, where a fresh one is in memory, or else when the file was last written.
func (s *scan) order() (order []int, latest []int64) {
	ds := s.store.digests()
	order, latest = make([]int, len(s.sessions)), make([]int64, len(s.sessions))
	bounds := make([]int64, len(s.sessions))
	for i := range s.sessions {
		f := s.sessions[i]
		last := f.ModTime.Add(clockSlack)
		if d := ds.Peek(s.making, f); d != nil && !d.Untimed() {
			last = d.Head.Latest
		}
		order[i], bounds[i] = i, digest.Nanoseconds(last)
		if last.Year() > digest.LastYear { // it may hold any time
			bounds[i] = math.MaxInt64
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bounds[b], bounds[a]) })
	for k, i := range order {
		latest[k] = bounds[i]
	}
	return order, latest
}

// take sorts in a match: before the page, on it, or after it. A match of the time at which the last page ended counts as
// before this one, since it may be a copy of what was shown.
func (s *scan) take(f *found) {
	switch {
	case s.after == nil || f.time < s.after.Time:
		if !s.before[f.alike] {
			s.best = s.lead(s.best, f)
		}
	case s.query.Fold && f.alike != 0 && !s.before[f.alike]:
		s.before[f.alike] = true
		s.best = slices.DeleteFunc(s.best, f.like(true))
	}
}

// undigested are the sessions whose digests are to be built, the newest first.
func (s *scan) undigested() []said.File {
	slices.Sort(s.lacking)
	files := make([]said.File, 0, len(s.lacking))
	for _, i := range s.lacking {
		files = append(files, s.sessions[i])
	}
	return files
}

// session searches one session: what was said in its digest, what tools said in its transcript.
func (s *scan) session(ctx context.Context, i int) (all []found, skipped said.Skipped, err error) {
	if s.said {
		d, err := s.store.digests().Fresh(ctx, s.making, s.sessions[i], &s.read)
		if err == nil {
			skipped = d.Head.Skipped
			err = s.store.digests().Each(s.sessions[i], d, func(part *digest.Digest, first int) error {
				if all = s.inDigest(part, first, i, all); len(all) >= maxFound {
					return errEnough
				}
				return nil
			})
		}
		if err != nil && err != errEnough {
			s.mu.Lock()
			s.lacking = append(s.lacking, i)
			s.mu.Unlock()
		}
		if err != nil {
			return all, nil, err
		}
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
	user, assistant := slices.Contains(s.query.Speakers, said.User), slices.Contains(s.query.Speakers, said.Assistant)
	wanted := func(n int) bool {
		r := &d.Rows[n]
		return (r.User && user || !r.User && assistant) && s.query.within(r.Time(f.ModTime))
	}
	taken := make([]bool, len(d.Rows))
	take := func(n int) {
		r := &d.Rows[n]
		taken[n] = true
		all = append(all, found{
			time: digest.Nanoseconds(r.Time(f.ModTime)), line: r.Line, place: r.Place, file: int32(i), row: int32(first + n),
			offset: r.Offset, key: r.Key, alike: s.likeness(r.Speaker(), d.Said(n)),
		})
	}
	if s.query.Signals != 0 {
		for n := range d.Rows {
			if d.Rows[n].Signals&s.query.Signals != 0 && wanted(n) {
				take(n)
			}
		}
		return all
	}
	s.read.Add(int64(len(d.Text)))
	for _, p := range s.patterns {
		p.rows(d, func(n int) bool { return !taken[n] && wanted(n) }, take)
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
