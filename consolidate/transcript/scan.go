package transcript

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxFound bounds the matches of one search: some 50 MB of places to keep, of 48 bytes each, twice.
const maxFound = 1 << 19

// A found match is the place of an utterance: its text is read again for those that are shown.
type found struct {
	time   int64 // as in a position, and so line and place; the session is the file's
	offset int64
	key    uint64 // the same for copies of one record; 0: none
	alike  uint64 // the same for texts that are alike; 0: none, or none that matters to the page
	line   int32
	place  int32
	file   int32 // in the order of the listing: an older file has a higher number
	row    int32 // in the file's digest; -1: it was found in the transcript itself
}

// position is where a match stands in the order of hits.
func (s *scan) position(f *found) position {
	return position{Time: f.time, Session: s.sessions[f.file].id, Line: int(f.line), Place: int(f.place)}
}

// A scan is the part of a search that reads everything.
type scan struct {
	store    *Store
	making   making
	query    Query
	patterns []*pattern
	finders  []*finder
	after    *position
	sessions []judged
	raw      []Speaker // those that are searched in the transcript itself, where there is a digest
	digested bool      // some speaker is searched in digests
	read     atomic.Int64
	begun    atomic.Int64          // bytes of the transcripts that were read
	joins    atomic.Int64          // of those that were read again for messages that others join
	watches  atomic.Int64          // of those that were read again to tell whether their matches were said
	hints    atomic.Pointer[hints] // of what the page shows and those before it; nil until that is certain

	mu       sync.Mutex
	found    [][]found       // of each session: one list of all would be copied as it grows
	amount   int             // how many those are
	best     []found         // the page so far, and one more
	before   map[uint64]bool // the likenesses of what stands before it, or may
	skipped  Skipped
	searched int   // files begun
	finished int   // files read to their end
	certain  bool  // the page holds nothing of sessions that are not searched yet
	lacking  []int // sessions without a fresh digest
}

func newScan(store *Store, q Query, patterns []*pattern, after *position, sessions []judged, skipped Skipped) *scan {
	s := &scan{
		store: store, making: store.making(), query: q, patterns: patterns, finders: finders(patterns),
		after: after, sessions: sessions, skipped: skipped,
		before: map[uint64]bool{},
	}
	for _, speaker := range q.Speakers {
		if speaker == Tool && q.Signals == 0 {
			s.raw = []Speaker{Tool}
		} else if speaker != Tool {
			s.digested = true
		}
	}
	return s
}

// run searches all sessions, and reports whether it had to stop before the end.
func (s *scan) run(ctx context.Context) (stopped bool) {
	order, latest := s.order()
	ended, through := make([]bool, len(order)), 0 // all of the first so many have
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var counting *time.Timer
	err := parallel(ctx, len(order), func(k int) error {
		lines := lineReaders.Get().(*lineReader)
		defer lines.putBack()
		all, skipped, err := s.session(ctx, order[k], lines)
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(all) > 0 {
			s.found = append(s.found, all)
			s.amount += len(all)
		}
		for j := range all {
			s.take(&all[j])
		}
		s.skipped.add(skipped)
		switch halted := ctx.Err() != nil || err == errBudget; {
		case err != nil && !halted:
			s.skipped[Unreadable]++
		case halted || s.amount >= maxFound:
			s.searched++
			return errBudget
		default:
			s.searched++
			s.finished++
		}
		for ended[k] = true; through < len(order) && ended[through]; {
			through++
		}
		if !s.certain && through < len(order) && len(s.best) >= s.query.Limit && latest[through] < s.best[s.query.Limit-1].time {
			s.certain = true
			s.onlyCount()
			if s.store.Counting <= 0 {
				stop()
				return errBudget
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

// order returns the sessions by what they can hold at the latest, the newest first, and that time of
// each: of its digest, where a fresh one lies in memory, or else when the file was last written or
// changed.
func (s *scan) order() (order []int, latest []int64) {
	ds := s.store.digests()
	order, latest = make([]int, len(s.sessions)), make([]int64, len(s.sessions))
	bounds := make([]int64, len(s.sessions))
	for i := range s.sessions {
		f := s.sessions[i].file
		last := f.modTime
		if !s.store.TrustModTimes && f.changed.After(last) {
			last = f.changed
		}
		last = last.Add(clockSlack)
		if d := ds.peek(f); d != nil && d.usable(s.making) != nil && !d.head.Untimed {
			last = d.head.Latest
		}
		order[i], bounds[i] = i, nanoseconds(last)
		if last.Year() > lastYear { // what it holds besides may be of any time
			bounds[i] = math.MaxInt64
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bounds[b], bounds[a]) })
	for k, i := range order {
		latest[k] = bounds[i]
	}
	return order, latest
}

// take puts a match where it belongs as far as is known: before the page, on it, or behind it. What is of
// the time at which the page before ended counts as before this one: it may be a copy of what is shown.
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

// onlyCount is called when the page is certain: of what is found from now on, it matters how much that is,
// and what of it is like something on the page or before it.
func (s *scan) onlyCount() {
	all := hints{}
	for _, session := range s.found {
		for i := range session {
			if f := &session[i]; f.time >= s.best[s.query.Limit-1].time {
				all[hint(f.alike)] = true
			}
		}
	}
	s.hints.Store(&all)
}

// undigested are the sessions whose digests are to be built, the newest first.
func (s *scan) undigested() []file {
	slices.Sort(s.lacking)
	files := make([]file, 0, len(s.lacking))
	for _, i := range s.lacking {
		files = append(files, s.sessions[i].file)
	}
	return files
}
