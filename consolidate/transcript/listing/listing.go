// Package listing lists what was said in sessions: oldest first, complete, abridged, in pages.
//
// It promises that every utterance of a list is on exactly one page: whole, abridged with a mark where something was
// left out, or counted by the line of a later one with the same words. In the list of one session each has its line. A
// list is fixed when it is made: what is appended to a session later is not in it, so that its pages fit together. What
// is shown was masked before it was cut.
//
// It does not promise to list a session whose transcript was replaced or removed between two pages: the page that
// would show it says so. Lists are kept in memory, the newest few: a crash loses the cursors, and nothing else.
package listing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
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
	Modified time.Time       // only sessions modified after it
	Since    time.Time       // only utterances of that time or later
	Until    time.Time       // only utterances before it; zero: all
	Session  string          // only this session, by its ID or the beginning of it
	Speakers []said.Speaker  // none: said.User
	After    map[string]Mark // by session: what is listed begins after it
	Newest   int             // at most so many sessions, the newest; 0: all
	Whole    int             // a text of at most so many characters is shown whole, what was pasted included
	Zone     *time.Location  // of the times; nil: UTC
	Host     said.HostID     // only its sessions and memories; "": those of all

	// Known reports whether the memories here say already what a model remembers; nil: they do not.
	Known func(text string) bool

	// Said is called with each text that is listed, as it was said, by several threads; nil: it is not. After it Touch
	// finds what an utterance touches.
	Said  func(text string)
	Touch Touch
}

// A List is what a query found, fixed when it was made.
type List struct {
	Taken    time.Time // for the caller: before the first session was looked at
	Window   bool      // for the caller: it is of what was said since the last dream
	Sessions int       // with an utterance that is listed
	Silent   int       // without one
	Older    int       // left out since Query.Newest was reached
	Failed   []Failure
	Unread   []sessions.Unread // files and folders that could not be read, so that nobody knows what they hold

	id         string
	pageBytes  int // of its first page
	limit      int
	query      Query
	sessions   []session
	segments   []segment
	utterances int

	mu      sync.Mutex     // of what follows
	explain map[string]int // the page that explained a mark
}

// Explains reports whether a page is the one to explain a mark: the first that was asked.
func (l *List) Explains(mark string, page int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, explained := l.explain[mark]; !explained {
		l.explain[mark] = page
	}
	return l.explain[mark] == page
}

// A Failure is a session that could not be read.
type Failure struct {
	Session sessions.Session
	Err     error
}

// A session is one of a list.
type session struct {
	sessions.Session
	kept  []kept
	after Mark // where the list begins in it
}

// A kept utterance is one that is listed.
type kept struct {
	Mark
	time   time.Time
	words  uint64 // equal for utterances that fold
	folded bool   // a later one with the same words is shown
	more   int    // those that are folded into it
}

// id is the place of an utterance as its ID has it.
func (k *kept) id() string {
	if k.Place > 1 {
		return strconv.Itoa(k.Line) + "." + strconv.Itoa(k.Place)
	}
	return strconv.Itoa(k.Line)
}

// A segment is what was said in one session on one day.
type segment struct {
	session  int // in List.sessions
	from, to int // in its kept
	folded   int // of these
	day      string
	begins   time.Time // as late as anything before it in its session
}

// New lists what a query asks for. It fails with a *search.QueryError where no session has the name that the query
// gives.
func New(ctx context.Context, store *search.Store, q Query) (*List, error) {
	if len(q.Speakers) == 0 {
		q.Speakers = []said.Speaker{said.User}
	}
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	l := &List{query: q, explain: map[string]int{}}
	modified := q.Modified
	if q.Since.After(modified) {
		modified = q.Since
	}
	if !modified.IsZero() {
		modified = modified.Add(-sessions.Slack)
	}
	found, _, err := store.Sessions(ctx, modified)
	if err != nil {
		return nil, err
	}
	remembered, err := store.Remembered(ctx)
	if err != nil {
		return nil, err
	}
	ofOther := func(one sessions.Session) bool { return q.Host != "" && one.Host != q.Host }
	found, remembered = slices.DeleteFunc(found, ofOther), slices.DeleteFunc(remembered, ofOther)
	if q.Session != "" {
		found, remembered = append(found, remembered...), nil
	}
	if found, err = search.Choose(found, q.Session); err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b sessions.Session) int { return b.ModTime.Compare(a.ModTime) }) // as searches order copies
	if q.Newest > 0 && len(found) > q.Newest {
		for _, one := range found[q.Newest:] {
			if _, known := q.After[one.ID]; !known {
				l.Older++
			}
		}
		found = found[:q.Newest]
	}
	slices.Reverse(found)
	remembered = slices.DeleteFunc(remembered, func(one sessions.Session) bool { return q.After[one.ID] != Mark{} })
	found = append(found, remembered[:min(len(remembered), maxRemembered)]...)
	all, err := read(ctx, store, &l.query, found)
	if err != nil {
		return nil, err
	}
	l.Unread = store.Unread()
	c := copies{seen: map[uint64]int{}}
	for i, one := range found {
		l.add(one, all[i], &c)
	}
	if err := c.drop(ctx, store, l); err != nil {
		return nil, err
	}
	l.arrange()
	return l, nil
}

// maxRemembered bounds the entries of memories in one list: the next has the rest.
const maxRemembered = 100

// arrange puts the days of the sessions in the order of time. Within a session the order is the transcript's.
func (l *List) arrange() {
	for n := range l.sessions {
		s := &l.sessions[n]
		if l.utterances += len(s.kept); len(s.kept) > 0 && !s.File.Memory() {
			l.Sessions++
		}
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
	place := func(s segment) string { // what is remembered follows what was said, in the order of its file
		of := l.sessions[s.session].Session
		if !of.File.Memory() {
			return ""
		}
		return fmt.Sprintf("%s\x00%4d\x00%s", of.Host, len(of.Branch), of.Branch)
	}
	slices.SortStableFunc(l.segments, func(a, b segment) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), a.begins.Compare(b.begins), cmp.Compare(l.sessions[a.session].ID, l.sessions[b.session].ID), cmp.Compare(a.from, b.from))
	})
	l.fold(l.segments)
}

// Tracked reports whether what the list shows of a session leaves out nothing that the user said since its mark.
func (l *List) Tracked() bool {
	q := &l.query
	return q.Since.IsZero() && q.Until.IsZero() && slices.Contains(q.Speakers, said.User)
}

// Never is the mark of what is listed of a session that could not be read: nothing is as late.
var Never = Mark{Line: math.MaxInt32}

// Ends returns the last utterance that is listed of each session, by its ID; Never for one that could not
// be read.
func (l *List) Ends() map[string]Mark {
	ends := make(map[string]Mark, len(l.sessions))
	for _, s := range l.sessions {
		if len(s.kept) > 0 {
			ends[s.ID] = s.kept[len(s.kept)-1].Mark
		}
	}
	for _, f := range l.Failed {
		ends[f.Session.ID] = Never
	}
	return ends
}
