package transcript

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of a page of hits (DESIGN, grep_transcripts).
const (
	DefaultLimit   = 20
	MaxLimit       = 200
	DefaultContext = 160
	MaxContext     = 2000
)

// A Query asks what was said: Pattern, Patterns or Signals is required.
type Query struct {
	Pattern       string    // a literal text; at most 1,000 bytes
	Patterns      []string  // any of them, beside Pattern or in its place; at most MaxPatterns
	Regex         bool      // the patterns are RE2 expressions, with (?m)
	CaseSensitive *bool     // nil: if the pattern has an upper-case letter
	Signals       uint16    // in place of patterns: utterances with one of these bits of Store.Classify
	Speakers      []Speaker // none: User and Assistant; a tool gives no signals
	Since         time.Time // inclusive; zero: ever
	Until         time.Time // exclusive; zero: now and later
	Session       string    // an id, or the beginning of one; empty: all
	Limit         int       // hits on a page; 0: DefaultLimit, at most MaxLimit
	Context       int       // runes on each side of the match; 0: DefaultContext, at most MaxContext
	Fold          bool      // of hits that are alike, only the newest is shown; see Hit.Alike
	Cursor        string    // Next of the page before
}

// MaxPatterns bounds the patterns of one query.
const MaxPatterns = 16

// A Hit is an utterance that matches, cut around its first match. Its three texts, one behind the
// other, are made visible; "…" stands where the utterance goes on.
type Hit struct {
	ID      string
	Session string
	Origin  string // see Utterance
	Line    int
	Time    time.Time
	Speaker Speaker
	CWD     string
	Branch  string
	UUID    string

	Before string
	Match  string // empty where a signal is not found again in the text
	After  string
	More   int // further matches in the same utterance, up to 1,000
	Alike  int // older matches not shown, their texts being equal but for case, digits and white space
}

// A Result is one page of hits, the newest first, and what the search had to do for it.
type Result struct {
	Hits     []Hit
	Matches  int     // utterances that match, on all pages, those that are folded among them
	AtLeast  bool    // the search stopped early: there may be more
	Sessions int     // sessions searched
	Bytes    int64   // bytes read, or looked through where a digest stands for the transcript
	Skipped  Skipped // lines that were met and not read, and sessions that are none
	Next     string  // the cursor of the next page; empty on the last
	Nearest  string  // where nothing was found for a literal: the word most like it that does occur, in lower case
	Notes    []string
}

// maxFound bounds the matches of one search: some 40 MB of places to keep.
const maxFound = 1 << 19

// clockSlack is how much later than its file was touched a record may have been made, on the coarsest
// file system.
const clockSlack = 2 * time.Second

// A found match is the place of an utterance: its text is read again for those that are shown.
type found struct {
	position
	offset int64
	key    uint64 // the same for copies of one record; 0: none
	alike  uint64 // the same for texts that are alike; 0: none
	file   int32  // in the order of the listing: an older file has a higher number
	row    int32  // in the file's digest; -1: it was found in the transcript itself
}

// Search finds what was said. What a resumed session copied counts once, where the older file has
// it. Files are searched newest first; once no other can hold a hit for the page, the search counts
// on as long as Store.Counting, and says so where that was not enough, or a budget was spent. Sessions
// whose digest is fresh are searched there; the digests of the others are built behind the answer. A
// *QueryError says what is wrong with the query.
func (s *Store) Search(ctx context.Context, q Query) (Result, error) {
	if err := q.complete(); err != nil {
		return Result{}, err
	}
	patterns, err := q.compiled()
	if err != nil {
		return Result{}, err
	}
	after, err := parseCursor(q)
	if err != nil {
		return Result{}, err
	}
	sessions, skipped, unjudged, err := s.sought(ctx, q)
	if err != nil {
		return Result{}, err
	}
	scan := newScan(s, q, patterns, after, sessions, skipped)
	// What was judged is searched, however long that took: a budget of its own.
	scanning, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	stopped := scan.run(scanning)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}

	all := scan.distinct()
	result := Result{
		Matches:  len(all),
		AtLeast:  stopped || unjudged,
		Sessions: scan.searched,
		Bytes:    scan.read.Load(),
		Skipped:  skipped,
	}
	if result.AtLeast {
		result.Notes = append(result.Notes, fmt.Sprintf("stopped early: %d of %d sessions searched to the end", scan.finished, len(sessions)))
	}
	rest, alike := page(all, after, q.Fold)
	err = s.fill(ctx, &result, scan, rest, alike)
	if err == nil && len(all) == 0 && !q.Regex {
		result.Nearest = s.nearest(ctx, q, sessions)
	}
	s.digests().later(s.making(), scan.undigested())
	return result, err
}

// sought returns the sessions that a query is about, and whether the time was not enough to judge all.
func (s *Store) sought(ctx context.Context, q Query) (sessions []judged, skipped Skipped, unjudged bool, err error) {
	judging, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	since := q.Since
	if !since.IsZero() {
		since = since.Add(-clockSlack)
	}
	sessions, skipped, err = s.accepted(judging, since)
	if err != nil && judging.Err() == nil || ctx.Err() != nil {
		return nil, nil, false, firstError(ctx.Err(), err)
	}
	unjudged = err != nil
	sessions, err = q.chosen(sessions)
	return sessions, skipped, unjudged, err
}

// compiled returns the query's patterns: none when it asks for signals.
func (q Query) compiled() ([]*pattern, error) {
	texts := q.Patterns
	if q.Pattern != "" || len(texts) == 0 && q.Signals == 0 {
		texts = append([]string{q.Pattern}, texts...)
	}
	switch {
	case len(texts) > MaxPatterns:
		return nil, &QueryError{Field: "patterns", Message: fmt.Sprintf("%d are more than %d", len(texts), MaxPatterns)}
	case len(texts) > 0 && q.Signals != 0:
		return nil, &QueryError{Field: "signal", Message: "it stands in place of a pattern, not beside one"}
	}
	var all []*pattern
	for _, text := range texts {
		q.Pattern = text
		p, err := compile(q)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// complete puts defaults where the query says nothing, and refuses what is out of bounds.
func (q *Query) complete() error {
	refuse := func(field, format string, args ...any) error {
		return &QueryError{Field: field, Message: fmt.Sprintf(format, args...)}
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Context == 0 {
		q.Context = DefaultContext
	}
	if len(q.Speakers) == 0 {
		q.Speakers = []Speaker{User, Assistant}
	}
	for _, speaker := range q.Speakers {
		if speaker != User && speaker != Assistant && speaker != Tool {
			return refuse("speakers", "%q is none of user, assistant, tool", speaker)
		}
	}
	switch {
	case q.Limit < 0 || q.Limit > MaxLimit:
		return refuse("limit", "%d is not between 1 and %d", q.Limit, MaxLimit)
	case q.Context < 0 || q.Context > MaxContext:
		return refuse("context", "%d is not between 1 and %d", q.Context, MaxContext)
	case !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until):
		return refuse("until", "it is not later than since")
	}
	return nil
}

// chosen returns the sessions that the query is limited to.
func (q Query) chosen(sessions []judged) ([]judged, error) {
	if q.Session == "" {
		return sessions, nil
	}
	var chosen []judged
	for _, session := range sessions {
		if session.id == q.Session {
			return []judged{session}, nil
		}
		if strings.HasPrefix(session.id, q.Session) || shortID(session.id) == q.Session {
			chosen = append(chosen, session)
		}
	}
	switch len(chosen) {
	case 0:
		return nil, &QueryError{Field: "session", Message: fmt.Sprintf("no session in that time is named %q", q.Session)}
	case 1:
		return chosen, nil
	}
	return nil, &QueryError{Field: "session", Message: fmt.Sprintf("%q is the beginning of %d sessions", q.Session, len(chosen))}
}

// within reports whether a time lies in the span that the query asks for.
func (q Query) within(t time.Time) bool {
	return !t.Before(q.Since) && (q.Until.IsZero() || t.Before(q.Until))
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

	mu       sync.Mutex
	found    []found
	best     []found // the page so far, and one more
	skipped  Skipped
	searched int       // files begun
	finished int       // files read to their end
	certain  time.Time // when it was known that the page holds nothing of later sessions
	counting int       // the first of those
	lacking  []int     // sessions without a fresh digest
}

func newScan(store *Store, q Query, patterns []*pattern, after *position, sessions []judged, skipped Skipped) *scan {
	s := &scan{
		store: store, making: store.making(), query: q, patterns: patterns, finders: finders(patterns),
		after: after, sessions: sessions, skipped: skipped,
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
	readers := sync.Pool{New: func() any { return newLineReader(nil, readBlock) }}
	order, bounds := s.order()
	err := parallel(ctx, len(order), func(k int) error {
		i := order[k]
		ctx, cancel := s.allowed(ctx, k, bounds[i])
		defer cancel()
		if err := ctx.Err(); err != nil {
			return errBudget
		}
		lines := readers.Get().(*lineReader)
		defer readers.Put(lines)
		all, skipped, err := s.session(ctx, i, lines)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found, all...)
		for j := range all {
			s.rank(&all[j])
		}
		s.skipped.add(skipped)
		halted := ctx.Err() != nil || err == errBudget
		if err != nil && !halted {
			s.skipped[Unreadable]++
			return nil
		}
		s.searched++
		if halted || len(s.found) >= maxFound {
			return errBudget
		}
		s.finished++
		return nil
	})
	return err != nil
}

// order returns the sessions by what they can hold at the latest, the newest first, and that time of
// each: of its digest, where a fresh one lies in memory, or else when the file was last written or
// changed.
func (s *scan) order() (order []int, bounds []int64) {
	ds := s.store.digests()
	order, bounds = make([]int, len(s.sessions)), make([]int64, len(s.sessions))
	for i := range s.sessions {
		f := s.sessions[i].file
		latest := f.modTime
		d := ds.peek(f)
		switch {
		case d != nil && d.usable(s.making) != nil && !d.head.Untimed:
			latest = d.head.Latest
		case !s.store.TrustModTimes && f.changed.After(latest):
			latest = f.changed
		}
		if d == nil {
			latest = latest.Add(clockSlack)
		}
		order[i], bounds[i] = i, nanoseconds(latest)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bounds[b], bounds[a]) })
	return order, bounds
}

// allowed bounds the search of the kth session in that order. Where its newest time is older than all
// hits of a full page, that page is certain once those before it are searched, and it and the rest are
// counting.
func (s *scan) allowed(ctx context.Context, k int, bound int64) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.certain.IsZero() && len(s.best) >= s.query.Limit && bound < s.best[s.query.Limit-1].Time {
		s.certain, s.counting = time.Now(), k
	}
	if s.certain.IsZero() || k < s.counting {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, s.certain.Add(s.store.Counting))
}

// rank takes a match into the page if it belongs there so far.
func (s *scan) rank(f *found) {
	most := s.query.Limit + 1
	if len(s.best) == most && f.compare(s.best[most-1].position) >= 0 || s.after != nil && f.compare(*s.after) <= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(s.best, f.position, func(b found, p position) int { return b.compare(p) })
	if slices.ContainsFunc(s.best[:at], f.like(s.query.Fold)) {
		return // a copy, or shown with a newer one
	}
	if i := slices.IndexFunc(s.best[at:], f.like(s.query.Fold)); i >= 0 {
		s.best = slices.Delete(s.best, at+i, at+i+1)
	}
	s.best = slices.Insert(s.best, at, *f)
	s.best = s.best[:min(len(s.best), most)]
}

// like reports whether another match takes no place of its own on a page.
func (f *found) like(fold bool) func(found) bool {
	return func(other found) bool {
		return f.key != 0 && f.key == other.key || fold && f.alike != 0 && f.alike == other.alike
	}
}

// session searches one session: in its digest, in the transcript, or, where a query asks for tools
// and others, for each where it stands.
func (s *scan) session(ctx context.Context, i int, lines *lineReader) (all []found, skipped Skipped, err error) {
	speakers := s.query.Speakers
	if s.digested {
		d, err := s.store.digests().fresh(ctx, s.making, s.sessions[i].file, &s.read, s.decodesAll())
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
	passes := s.filter(speakers)
	inFile, met, err := s.file(ctx, i, lines, speakers, passes)
	if err == errBlind {
		inFile, met, err = s.file(ctx, i, lines, speakers, nil)
	}
	return append(all, inFile...), met, err
}

// decodesAll reports whether a transcript would have to be decoded whole: then its digest is built at
// once.
func (s *scan) decodesAll() bool {
	return len(s.raw) == 0 && s.filter(s.query.Speakers) == nil
}

// filter returns what lets lines pass undecoded; nil when nothing can.
func (s *scan) filter(speakers []Speaker) func(int, []byte) bool {
	f := filter{speakers: speakers}
	for _, p := range s.patterns {
		if p.needles == nil {
			return nil
		}
		f.needles = append(f.needles, p.needles...)
	}
	if len(f.needles) == 0 {
		return nil
	}
	return func(_ int, line []byte) bool { return f.passes(line) }
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
		p := d.position(n, f)
		if !s.query.within(r.time(f.modTime)) {
			return
		}
		all = append(all, found{position: p, file: int32(i), row: int32(n), offset: r.offset, key: r.key, alike: r.alike})
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

// file searches one transcript.
func (s *scan) file(ctx context.Context, i int, lines *lineReader, speakers []Speaker, filter func(int, []byte) bool) ([]found, Skipped, error) {
	session := s.sessions[i]
	source, err := openFile(session.path)
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	lines.reset(&meter{ctx: ctx, source: source, read: &s.read, budget: s.store.ByteBudget}, 1, 0)

	var all []found
	r := newReader(session.id, lines, func(u *utterance) error {
		switch {
		case !slices.Contains(speakers, u.Speaker) || !s.matches(u.Text):
			return nil
		case u.blind:
			return errBlind
		case !s.query.within(u.Time):
			return nil
		}
		all = append(all, found{
			position: u.position(), file: int32(i), row: -1, offset: u.offset,
			key: u.key(), alike: alike(u.Speaker, u.Text),
		})
		if len(all) >= maxFound {
			return errBudget
		}
		return nil
	})
	r.filter, r.last = filter, session.modTime.UTC()
	err = r.run()
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

// distinct returns what was found in the order of hits, of each record the copy in the oldest file, or
// the first in one file.
func (s *scan) distinct() []found {
	kept := make(map[uint64]int, len(s.found))
	all := s.found[:0]
	for _, f := range s.found {
		i, copied := kept[f.key]
		switch {
		case f.key == 0:
			all = append(all, f)
		case !copied:
			kept[f.key] = len(all)
			all = append(all, f)
		case f.file > all[i].file || f.file == all[i].file && f.Line < all[i].Line:
			all[i] = f
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.compare(b.position) })
	return all
}

// page is what comes after a position. When alike hits are folded, those are left out that a newer one
// stands for, and it tells how many.
func page(all []found, after *position, fold bool) (rest []found, alike map[uint64]int) {
	begin := 0
	if after != nil {
		var exact bool
		begin, exact = slices.BinarySearchFunc(all, *after, func(f found, p position) int { return f.compare(p) })
		if exact {
			begin++
		}
	}
	if !fold {
		return all[begin:], nil
	}
	alike = map[uint64]int{}
	for i, f := range all {
		n := alike[f.alike]
		if f.alike != 0 {
			alike[f.alike]++
		}
		if n == 0 && i >= begin {
			rest = append(rest, f)
		}
	}
	return rest, alike
}

// fill reads the hits of a page again, as many as the query wants, and cuts them.
func (s *Store) fill(ctx context.Context, result *Result, scan *scan, rest []found, alike map[uint64]int) error {
	q := scan.query
	shown := rest[:min(len(rest), q.Limit)]
	lines := newLineReader(nil, readBlock)
	for _, f := range shown {
		u, err := scan.again(ctx, f, lines)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start, end, more, ok := 0, 0, 0, false
		if err == nil {
			start, end, more, ok = scan.place(u)
		}
		if !ok { // replaced since it was searched
			result.Matches--
			continue
		}
		hit := Hit{
			ID: u.ID, Session: u.Session, Origin: u.Origin, Line: u.Line, Time: u.Time, Speaker: u.Speaker,
			CWD: Visible(u.CWD), Branch: Visible(u.Branch), UUID: Visible(u.UUID),
			More: more, Alike: max(0, alike[f.alike]-1),
		}
		hit.Before, hit.Match, hit.After = excerpt(u.Text, start, end, q.Context)
		result.Hits = append(result.Hits, hit)
	}
	if len(rest) > len(shown) || len(shown) == q.Limit && !scan.certain.IsZero() && result.AtLeast {
		result.Next = cursor{Query: q.digest(), After: shown[len(shown)-1].position}.String()
	}
	return nil
}

// place finds again what a hit is for, and how often more it stands there.
func (s *scan) place(u *Utterance) (start, end, more int, ok bool) {
	if s.query.Signals != 0 {
		if s.store.FindSignal != nil {
			start, end, ok = s.store.FindSignal(s.query.Signals, u.Speaker, u.Text)
		}
		if !ok || start < 0 || end < start || end > len(u.Text) {
			start, end = 0, 0
		}
		return start, end, 0, true
	}
	more = -1
	for _, p := range s.patterns {
		from, to, found := p.find(u.Text)
		if !found {
			continue
		}
		if more += p.count(u.Text); !ok || from < start {
			start, end, ok = from, to, true
		}
	}
	return start, end, more, ok
}

// again reads a match again: from its digest, if it was found there and that is still the same.
func (s *scan) again(ctx context.Context, f found, lines *lineReader) (*Utterance, error) {
	session := s.sessions[f.file]
	if f.row >= 0 {
		d, err := s.store.digests().fresh(ctx, s.making, session.file, new(atomic.Int64), false)
		if err == nil && d != nil && int(f.row) < len(d.rows) && d.position(int(f.row), &session.file) == f.position {
			u := d.utterance(int(f.row), &session.file)
			return &u, nil
		}
	}
	u, err := recall(ctx, session, f, lines)
	if err != nil {
		return nil, err
	}
	return &u.Utterance, nil
}

// recall reads an utterance again from where it stands.
func recall(ctx context.Context, session judged, f found, lines *lineReader) (*utterance, error) {
	source, err := openFile(session.path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if _, err := source.Seek(f.offset, io.SeekStart); err != nil {
		return nil, err
	}
	lines.reset(&meter{ctx: ctx, source: source, read: new(atomic.Int64)}, f.Line, f.offset)
	return seek(session, lines, hitID(session.id, f.Line, f.Place), f.Line, time.Unix(0, f.Time).UTC(), func(number int, line []byte) bool {
		return number == f.Line || mayJoin(line)
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
