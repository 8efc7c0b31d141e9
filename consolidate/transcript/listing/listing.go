// Package listing lists what was said in sessions: oldest first, complete, abridged, in pages.
//
// It promises that every utterance of a list is on exactly one page: whole, abridged with a mark where something was
// left out, or counted in a collapsed line that names the range of IDs for which it stands. A list is fixed when it is
// made: what is appended to a session later is not in it, so that its pages fit together. What is shown was masked
// before it was cut.
//
// It does not promise to list a session whose transcript was replaced or removed between two pages: the page that
// would show it says so. Lists are kept in memory, the newest few: a crash loses the cursors, and nothing else.
package listing

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"dream-mcp/consolidate/transcript"
)

// A Mark is the place of an utterance in its session.
type Mark struct {
	Line  int `json:"line"`
	Place int `json:"place"`
}

// Before reports whether a mark is of an earlier place than another.
func (m Mark) Before(o Mark) bool {
	return m.Line < o.Line || m.Line == o.Line && m.Place < o.Place
}

// A Query says what is listed. The zero value lists what users said in all sessions.
type Query struct {
	Touched  time.Time            // only sessions touched after it
	Since    time.Time            // only utterances of that time or later
	Until    time.Time            // only utterances before it; zero: all
	Session  string               // only this session, by its ID or the beginning of it
	Speakers []transcript.Speaker // none: transcript.User
	After    map[string]Mark      // by session: what is listed begins after it
	Newest   int                  // at most so many sessions, the newest; 0: all
	Whole    int                  // a text of at most so many characters is shown whole, what was pasted included
	Zone     *time.Location       // of the times; nil: UTC
}

// A List is what a query found, fixed when it was made.
type List struct {
	Taken    time.Time // for the caller: before the first session was looked at
	Sessions int       // with an utterance that is listed
	Silent   int       // without one
	Older    int       // left out since Query.Newest was reached
	Failed   []Failure

	id         string
	query      Query
	sessions   []session
	segments   []segment
	utterances int
}

// A Failure is a session that could not be read.
type Failure struct {
	Session transcript.Session
	Err     error
}

// A session is one of a list.
type session struct {
	transcript.Session
	kept  []kept
	after Mark // where the list begins in it
}

// A kept utterance is one that is listed.
type kept struct {
	Mark
	time time.Time
}

// A segment is what was said in one session on one day.
type segment struct {
	session  int // in List.sessions
	from, to int // in its kept
	day      string
	begins   time.Time // as late as anything before it in its session
}

// ErrUnread is the error of a list for which the time was not enough to read every session. What was read is kept:
// asking again goes on.
var ErrUnread = errors.New("there was not enough time to read all sessions")

// New lists what a query asks for. It fails with ErrUnread where the context's time is up, and with a
// *transcript.QueryError where no session has the name that the query gives.
func New(ctx context.Context, store *transcript.Store, q Query) (*List, error) {
	if len(q.Speakers) == 0 {
		q.Speakers = []transcript.Speaker{transcript.User}
	}
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	l := &List{query: q}
	touched := q.Touched
	if q.Since.After(touched) {
		touched = q.Since.Add(-slack)
	}
	found, _, err := store.Sessions(ctx, touched)
	if err != nil {
		return nil, unread(err)
	}
	if found, err = transcript.Choose(found, q.Session); err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b transcript.Session) int { return b.ModTime.Compare(a.ModTime) }) // as searches order copies
	c := copies{list: l, seen: map[uint64]int{}}
	for len(found) > 0 && (q.Newest == 0 || len(l.sessions) < q.Newest) {
		some := found
		if q.Newest > 0 {
			some = found[:min(len(found), q.Newest-len(l.sessions))]
		}
		found = found[len(some):]
		said, err := read(ctx, store, some)
		if err != nil {
			return nil, err
		}
		for i, one := range some {
			l.add(one, said[i], &c)
		}
	}
	for _, one := range found {
		if _, known := q.After[one.ID]; !known {
			l.Older++
		}
	}
	if err := c.drop(ctx, store); err != nil {
		return nil, err
	}
	l.arrange()
	return l, nil
}

// slack is how much later than its file was touched a record may have been made, on the coarsest file system.
const slack = 2 * time.Second

// A reading is what a session said, without its texts, or why it could not be read.
type reading struct {
	said []transcript.Said
	err  error
}

// read reads sessions by several threads. Its error is the context's.
func read(ctx context.Context, store *transcript.Store, sessions []transcript.Session) ([]reading, error) {
	all := make([]reading, len(sessions))
	var threads sync.WaitGroup
	next := make(chan int)
	for range min(len(sessions), runtime.GOMAXPROCS(0)) {
		threads.Go(func() {
			for i := range next {
				r := &all[i]
				r.err = store.Said(ctx, sessions[i], func(u *transcript.Said) error {
					one := *u
					one.Text = ""
					r.said = append(r.said, one)
					return nil
				})
			}
		})
	}
	for i := range sessions {
		next <- i
	}
	close(next)
	threads.Wait()
	return all, unread(ctx.Err())
}

// unread is ErrUnread for the error of a context whose time is up, any other error itself.
func unread(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrUnread
	}
	return err
}

// add takes in a session.
func (l *List) add(one transcript.Session, r reading, c *copies) {
	if r.err != nil {
		l.Failed = append(l.Failed, Failure{one, r.err})
		return
	}
	s := session{Session: one, after: l.query.After[one.ID]}
	for i := range r.said {
		u := &r.said[i]
		if m := (Mark{u.Line, u.Place}); l.lists(u) && s.after.Before(m) {
			s.kept = append(s.kept, kept{m, u.Time})
		}
	}
	if len(s.kept) > 0 {
		c.note(len(l.sessions), r.said, s.after)
		l.sessions = append(l.sessions, s)
		return
	}
	c.note(-1, r.said, s.after)
	if (s.after == Mark{}) { // else it was listed to its end before
		l.Silent++
	}
}

// lists reports whether an utterance is one that the query asks for.
func (l *List) lists(u *transcript.Said) bool {
	q := &l.query
	return slices.Contains(q.Speakers, u.Speaker) && !u.Time.Before(q.Since) && (q.Until.IsZero() || u.Time.Before(q.Until))
}

// arrange puts the days of the sessions in the order of time. Within a session the order is the transcript's.
func (l *List) arrange() {
	l.sessions = slices.DeleteFunc(l.sessions, func(s session) bool { return len(s.kept) == 0 })
	for n := range l.sessions {
		s := &l.sessions[n]
		l.utterances += len(s.kept)
		var latest time.Time
		for i, k := range s.kept {
			if k.time.After(latest) {
				latest = k.time
			}
			day := latest.In(l.query.Zone).Format(time.DateOnly)
			if last := len(l.segments) - 1; i > 0 && l.segments[last].day == day {
				l.segments[last].to = i + 1
				continue
			}
			l.segments = append(l.segments, segment{session: n, from: i, to: i + 1, day: day, begins: latest})
		}
	}
	l.Sessions = len(l.sessions)
	slices.SortStableFunc(l.segments, func(a, b segment) int {
		return cmp.Or(a.begins.Compare(b.begins), cmp.Compare(l.sessions[a.session].ID, l.sessions[b.session].ID), cmp.Compare(a.from, b.from))
	})
}

// Tracked reports whether what the list shows of a session leaves out nothing that the user said since its mark.
func (l *List) Tracked() bool {
	q := &l.query
	return q.Since.IsZero() && q.Until.IsZero() && slices.Contains(q.Speakers, transcript.User)
}

// Ends returns the last utterance that is listed of each session, by its ID.
func (l *List) Ends() map[string]Mark {
	ends := make(map[string]Mark, len(l.sessions))
	for _, s := range l.sessions {
		ends[s.ID] = s.kept[len(s.kept)-1].Mark
	}
	return ends
}
