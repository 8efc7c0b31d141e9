package transcript

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
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
	alike  uint64 // the same for texts that are alike; 0: none
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
	joins    atomic.Int64          // transcripts that were read twice for messages that others join
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
		d := ds.peek(f)
		switch {
		case d != nil && d.usable(s.making) != nil && !d.head.Untimed:
			last = d.head.Latest
		case !s.store.TrustModTimes && f.changed.After(last):
			last = f.changed
		}
		if d == nil {
			last = last.Add(clockSlack)
		}
		order[i], bounds[i] = i, nanoseconds(last)
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

// session searches one session: in its digest, in the transcript, or, where a query asks for tools
// and others, for each where it stands.
func (s *scan) session(ctx context.Context, i int, lines *lineReader) (all []found, skipped Skipped, err error) {
	speakers := s.query.Speakers
	if s.digested {
		d, err := s.store.digests().fresh(ctx, s.making, s.sessions[i].file, &s.read, s.decodesAll() || s.sessions[i].host.byLines())
		if d == nil {
			s.mu.Lock()
			s.lacking = append(s.lacking, i)
			s.mu.Unlock()
			if err != nil && ctx.Err() != nil {
				return nil, nil, err
			}
		} else {
			all, skipped = s.inDigest(d, i), d.head.Skipped
			speakers = s.raw
		}
	}
	if len(speakers) == 0 || len(s.patterns) == 0 {
		return all, skipped, nil
	}
	f := s.filter(speakers)
	if s.sessions[i].host.byLines() {
		f = nil
	}
	inFile, met, err := s.file(ctx, i, lines, speakers, f, s.joins.Load() >= manyJoins)
	if err == errAlone {
		s.joins.Add(1)
		inFile, met, err = s.file(ctx, i, lines, speakers, f, true)
	}
	if err == errBlind {
		inFile, met, err = s.file(ctx, i, lines, speakers, nil, true)
	}
	return append(all, inFile...), met, err
}

// decodesAll reports whether a transcript would have to be decoded whole: then its digest is built at
// once.
func (s *scan) decodesAll() bool {
	return len(s.raw) == 0 && s.filter(s.query.Speakers) == nil
}

// manyJoins is how many transcripts a search reads twice, since the model's words are among the
// matches, before it takes that for the rule.
const manyJoins = 8

// filter returns what lets lines pass undecoded; nil when nothing can.
func (s *scan) filter(speakers []Speaker) *filter {
	f := &filter{speakers: speakers, decides: s.decides, literal: true}
	for _, p := range s.patterns {
		if p.needles == nil {
			return nil
		}
		f.needles = append(f.needles, p.needles...)
		f.literal = f.literal && p.isNeedle()
	}
	if len(f.needles) == 0 {
		return nil
	}
	return f
}

// inDigest searches one session's digest.
func (s *scan) inDigest(d *digest, i int) (all []found) {
	f := &s.sessions[i].file
	user, assistant := slices.Contains(s.query.Speakers, User), slices.Contains(s.query.Speakers, Assistant)
	take := func(n int) {
		r := &d.rows[n]
		if r.user && !user || !r.user && !assistant {
			return
		}
		if !s.query.within(r.time(f.modTime)) {
			return
		}
		all = append(all, found{
			time: nanoseconds(r.time(f.modTime)), line: r.line, place: r.place,
			file: int32(i), row: int32(n), offset: r.offset, key: r.key, alike: r.alike,
		})
	}
	if s.query.Signals != 0 {
		s.read.Add(int64(len(d.rows) * rowSize))
		for n := range d.rows {
			if d.rows[n].signals&s.query.Signals != 0 {
				take(n)
			}
		}
		return all
	}
	s.read.Add(int64(len(d.text)))
	d.find(s.finders, take)
	return all
}

// matches reports whether one of the patterns stands in a text.
func (s *scan) matches(text string) bool {
	for _, p := range s.patterns {
		if p.matches(text) {
			return true
		}
	}
	return false
}

// answer tells what there is to hear in a tool's answer for expressions, as far as its spelling tells.
func (s *scan) answer(v raw) hearing {
	if !v.isAllText() {
		return maybe
	}
	most := nothing
	for _, p := range s.patterns {
		most = max(most, p.hears(v[1:len(v)-1]))
	}
	if most == surely && !s.decides(v) {
		return maybe
	}
	return most
}

// decides reports whether a match in a tool's value is all that must be known of it: where all of it is
// said, and nobody asks what it is like.
func (s *scan) decides(v raw) bool {
	if !v.isAllText() {
		return false
	}
	return !s.query.Fold || len(v) > len(`"\u0000"`)*maxAlike || !mayBeLike(s.hints.Load(), v[1:len(v)-1], true)
}

// likeness is what a match is told from others by, where that matters to the page.
func (s *scan) likeness(u *utterance) uint64 {
	if !s.query.Fold || u.holds || !mayBeLike(s.hints.Load(), u.Text, false) {
		return 0
	}
	return alike(u.Speaker, u.Text)
}

// file searches one transcript.
func (s *scan) file(ctx context.Context, i int, lines *lineReader, speakers []Speaker, f *filter, joins bool) ([]found, Skipped, error) {
	session := s.sessions[i]
	source, err := session.open()
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	lines.reset(&meter{ctx: ctx, source: source, read: &s.read, budget: s.store.ByteBudget}, 1, 0)

	var all []found
	r := newReader(session.file, lines, func(u *utterance) error {
		switch {
		case !slices.Contains(speakers, u.Speaker) || !u.holds && !s.matches(u.Text):
			return nil
		case u.blind:
			return errBlind
		case !s.query.within(u.Time):
			return nil
		}
		match := found{
			time: nanoseconds(u.Time), line: int32(min(u.Line, math.MaxInt32)), place: int32(u.place),
			file: int32(i), row: -1, offset: u.offset, key: u.key(), alike: s.likeness(u),
		}
		all = append(all, match)
		if len(all) >= maxFound {
			return errBudget
		}
		return nil
	})
	r.last = session.modTime.UTC()
	if f != nil {
		known := s.store.plain(session.file)
		r.sieve = f.sieve(known, joins)
		if !joins && slices.Contains(speakers, Assistant) {
			r.join = &joiner{source: source}
		}
		r.tools = f.hears(known)
	}
	if !slices.Contains(speakers, Tool) {
		r.tools = deaf
	}
	r.answers = s.answer
	err = r.run()
	if err == nil && r.sieve != nil && r.sieve.tells != 0 {
		s.store.learn(session.file, r.sieve.tells)
	}
	return all, r.skipped, err
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

// key is the same for an utterance and its copies in resumed sessions; 0 where that cannot be told.
func (u *utterance) key() uint64 {
	if u.UUID == "" {
		return 0
	}
	return sum64(u.UUID, string(u.Speaker), strconv.Itoa(u.slot))
}
