package transcript

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
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

// A Query asks what was said. Only Pattern is required.
type Query struct {
	Pattern       string    // a literal text; at most 1,000 bytes
	Regex         bool      // Pattern is an RE2 expression, with (?m)
	CaseSensitive *bool     // nil: if the pattern has an upper-case letter
	Speakers      []Speaker // none: User and Assistant
	Since         time.Time // inclusive; zero: ever
	Until         time.Time // exclusive; zero: now and later
	Session       string    // an id, or the beginning of one; empty: all
	Limit         int       // hits on a page; 0: DefaultLimit, at most MaxLimit
	Context       int       // runes on each side of the match; 0: DefaultContext, at most MaxContext
	Cursor        string    // Next of the page before
}

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
	Match  string
	After  string
	More   int // further matches in the same utterance, up to 1,000
}

// A Result is one page of hits, the newest first, and what the search had to do for it.
type Result struct {
	Hits     []Hit
	Matches  int     // utterances that match, on all pages
	AtLeast  bool    // the search stopped early: there may be more
	Sessions int     // sessions searched
	Bytes    int64   // bytes read
	Skipped  Skipped // lines that were met and not read, and sessions that are none
	Next     string  // the cursor of the next page; empty on the last
	Notes    []string
}

// maxFound bounds the matches of one search: some 100 MB of places to keep.
const maxFound = 1 << 20

// mtimeSlack is how much earlier than its last record a file may seem to have been touched, on the
// coarsest file system.
const mtimeSlack = 2 * time.Second

// A found match is the place of an utterance: its text is read again for those that are shown.
type found struct {
	position
	id     string
	file   int // in the order of the search: an older file has a higher number
	offset int64
	key    uint64 // the same for copies of one record; 0: none
}

// Search finds what was said. What a resumed session copied counts once, where the older file has
// it. It stops at the Store's budgets, and says so; files are searched newest first, so what it has by
// then is mostly the newest. A *QueryError says what is wrong with the query.
func (s *Store) Search(ctx context.Context, q Query) (Result, error) {
	if err := q.complete(); err != nil {
		return Result{}, err
	}
	p, err := compile(q)
	if err != nil {
		return Result{}, err
	}
	after, err := parseCursor(q)
	if err != nil {
		return Result{}, err
	}
	judging, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()

	since := q.Since
	if !since.IsZero() {
		since = since.Add(-mtimeSlack)
	}
	sessions, skipped, unjudged := s.accepted(judging, since)
	if unjudged != nil && judging.Err() == nil || ctx.Err() != nil {
		return Result{}, firstError(ctx.Err(), unjudged)
	}
	if sessions, err = q.chosen(sessions); err != nil {
		return Result{}, err
	}
	scan := scan{query: q, pattern: p, sessions: sessions, budget: s.ByteBudget, seed: maphash.MakeSeed(), skipped: skipped}
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
		AtLeast:  stopped || unjudged != nil,
		Sessions: scan.searched,
		Bytes:    scan.read.Load(),
		Skipped:  skipped,
	}
	if result.AtLeast {
		result.Notes = append(result.Notes, fmt.Sprintf("stopped early: %d of %d sessions searched to the end", scan.finished, len(sessions)))
	}
	return result, s.fill(ctx, &result, q, p, sessions, page(all, after))
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
	query    Query
	pattern  *pattern
	sessions []judged
	budget   int64
	seed     maphash.Seed
	read     atomic.Int64

	mu       sync.Mutex
	found    []found
	skipped  Skipped
	searched int // files begun
	finished int // files read to their end
}

// run searches all sessions, and reports whether it had to stop before the end.
func (s *scan) run(ctx context.Context) (stopped bool) {
	readers := sync.Pool{New: func() any { return newLineReader(nil, readBlock) }}
	err := parallel(ctx, len(s.sessions), func(i int) error {
		lines := readers.Get().(*lineReader)
		defer readers.Put(lines)
		f := filter{needles: s.pattern.needles, speakers: s.query.Speakers}
		passes := func(_ int, line []byte) bool { return f.passes(line) }
		if f.needles == nil {
			passes = nil
		}
		all, skipped, err := s.file(ctx, i, lines, passes)
		if err == errBlind {
			all, skipped, err = s.file(ctx, i, lines, nil)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found, all...)
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

// file searches one session.
func (s *scan) file(ctx context.Context, i int, lines *lineReader, filter func(int, []byte) bool) ([]found, Skipped, error) {
	session := s.sessions[i]
	source, err := openFile(session.path)
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	lines.reset(&meter{ctx: ctx, source: source, read: &s.read, budget: s.budget}, 1, 0)

	var all []found
	r := newReader(session.id, lines, func(u *utterance) error {
		switch {
		case !slices.Contains(s.query.Speakers, u.Speaker) || !s.pattern.matches(u.Text):
			return nil
		case u.blind:
			return errBlind
		case !s.query.within(u.Time):
			return nil
		}
		all = append(all, found{position: u.position(), id: u.ID, file: i, offset: u.offset, key: s.key(u)})
		if len(all) >= maxFound {
			return errBudget
		}
		return nil
	})
	r.filter, r.last = filter, session.modTime.UTC()
	err = r.run()
	return all, r.skipped, err
}

// key is the same for an utterance and its copies in resumed sessions.
func (s *scan) key(u *utterance) uint64 {
	if u.UUID == "" {
		return 0
	}
	return maphash.Comparable(s.seed, [3]string{u.UUID, string(u.Speaker), fmt.Sprint(u.slot)})
}

// distinct returns what was found in the order of hits, of each record the copy in the oldest file, or
// the first in one file.
func (s *scan) distinct() []found {
	kept := map[uint64]int{}
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

// page is what comes after a position.
func page(all []found, after *position) []found {
	if after == nil {
		return all
	}
	i, exact := slices.BinarySearchFunc(all, *after, func(f found, p position) int { return f.compare(p) })
	if exact {
		i++
	}
	return all[i:]
}

// fill reads the hits of a page again, as many as the query wants, and cuts them.
func (s *Store) fill(ctx context.Context, result *Result, q Query, p *pattern, sessions []judged, rest []found) error {
	shown := rest[:min(len(rest), q.Limit)]
	lines := newLineReader(nil, readBlock)
	for _, f := range shown {
		u, err := recall(ctx, sessions[f.file], f, lines)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start, end, ok := 0, 0, false
		if err == nil {
			start, end, ok = p.find(u.Text)
		}
		if !ok { // replaced since it was searched
			result.Matches--
			continue
		}
		hit := Hit{
			ID: u.ID, Session: u.Session, Origin: u.Origin, Line: u.Line, Time: u.Time, Speaker: u.Speaker,
			CWD: Visible(u.CWD), Branch: Visible(u.Branch), UUID: Visible(u.UUID),
			More: p.count(u.Text) - 1,
		}
		hit.Before, hit.Match, hit.After = excerpt(u.Text, start, end, q.Context)
		result.Hits = append(result.Hits, hit)
	}
	if len(rest) > len(shown) {
		result.Next = cursor{Query: q.digest(), After: shown[len(shown)-1].position}.String()
	}
	return nil
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
	return seek(session, lines, f.id, f.Line, time.Unix(0, f.Time).UTC(), func(number int, line []byte) bool {
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
