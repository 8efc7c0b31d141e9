package consolidate

import (
	"context"
	"maps"
	"time"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/listing"
)

// firstSessions is how many sessions are listed, the newest, where no listing has landed before.
const firstSessions = 30

// ListRequest says what is listed: by default what the user said in the sessions since the last dream.
type ListRequest struct {
	Since, Until time.Time
	SinceLast    bool   // since the last dream, which is the default in a dream
	Session      string // an ID, or the beginning of one
	Speakers     []transcript.Speaker
	Cursor       string // of a page before; the rest but Room and Limit is then as it was
	Room         int    // bytes of text on a page
	Limit        int    // utterances on a page; 0: as many as have room
	Whole        int    // characters of a text that is shown whole; 0: as few as listing.Query has it
}

// window reports whether the request is for what was said since the last dream.
func (r ListRequest) window(dreaming bool) bool {
	return r.SinceLast || dreaming && r.Session == "" && r.Since.IsZero() && r.Until.IsZero()
}

// Listed is what a dream was shown by listings.
type Listed struct {
	From  time.Time               `json:"from,omitzero"`  // sessions touched since then are to be shown; zero: all
	Taken time.Time               `json:"taken,omitzero"` // when they were first listed
	Ends  map[string]listing.Mark `json:"ends,omitempty"` // by session: the last that is to be shown
	Shown map[string]stretch      `json:"shown"`          // by session
}

// A stretch is the utterances of a session after one, up to another.
type stretch struct {
	After listing.Mark `json:"after"`
	Last  listing.Mark `json:"last"`
}

// count returns how many of the sessions that are to be shown were shown to their end.
func (l *Listed) count() (shown, of int) {
	if l == nil {
		return 0, 0
	}
	for session, end := range l.Ends {
		if !l.Shown[session].Last.Before(end) {
			shown++
		}
	}
	return shown, len(l.Ends)
}

// touchSlack is how much earlier than it was written a file may say that it was touched, on the coarsest file system.
const touchSlack = 2 * time.Second

// maxListed bounds the sessions that a record names.
const maxListed = 5_000

// open takes in that what was said since the last dream is listed.
func (l *Listed) open(list *listing.List) {
	if l.Taken.IsZero() {
		l.Taken = list.Taken
	}
	if l.Ends == nil {
		l.Ends = map[string]listing.Mark{}
	}
	maps.DeleteFunc(l.Ends, func(_ string, m listing.Mark) bool { return m == listing.Never }) // it may have been read since
	maps.Copy(l.Ends, list.Ends())
}

// add takes in what a page shows. It counts where nothing is left out before it.
func (l *Listed) add(page listing.Page, before map[string]listing.Mark) {
	if l.Shown == nil {
		l.Shown = map[string]stretch{}
	}
	for _, r := range page.Shown {
		known, ok := l.Shown[r.Session]
		if !ok {
			known = stretch{before[r.Session], before[r.Session]}
		}
		if !known.Last.Before(r.After) && known.Last.Before(r.Last) && (ok || len(l.Shown) < maxListed) {
			l.Shown[r.Session] = stretch{known.After, r.Last}
		}
	}
}

// List lists what was said. In a dream it counts as a call of it, and the dream remembers what it was shown.
func (p *Project) List(ctx context.Context, r ListRequest) (listing.Page, error) {
	p.mu.Lock()
	err := p.beginSearch(nil, "")
	d := p.dream
	var m marks
	if err == nil {
		m, err = p.sinceLast()
	}
	p.mu.Unlock()
	if err != nil {
		return listing.Page{}, err
	}
	window := r.window(d != nil)
	page, err := p.list(ctx, r, window, m)
	if err != nil {
		return page, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d == nil || p.dream != d {
		return page, nil
	}
	p.tell(Event{Kind: EventListed, Hits: page.Utterances})
	if page.List.Tracked() {
		if d.Listed == nil {
			d.Listed = &Listed{From: m.Since}
		}
		if page.List.Window {
			d.Listed.open(page.List)
		}
		d.Listed.add(page, m.marks())
		err = d.save()
	}
	return page, err
}

// list makes a page. It holds no lock: reading sessions may take seconds.
func (p *Project) list(ctx context.Context, r ListRequest, window bool, m marks) (listing.Page, error) {
	store := p.o.Transcripts
	if r.Cursor != "" {
		return p.lists.Next(ctx, store, r.Cursor, r.Room, r.Limit)
	}
	q := listing.Query{Since: r.Since, Until: r.Until, Session: r.Session, Speakers: r.Speakers, Whole: r.Whole, Zone: p.o.Now().Location()}
	if window {
		q.After = m.marks()
		if !m.Since.IsZero() {
			q.Touched = m.Since.Add(-touchSlack)
		}
	}
	if (!window || !m.Listed) && r.Session == "" && r.Since.IsZero() {
		q.Newest = firstSessions
	}
	taken := p.o.Now()
	l, err := listing.New(ctx, store, q)
	if err != nil {
		return listing.Page{}, err
	}
	l.Taken, l.Window = taken, window && r.Session == ""
	return p.lists.First(ctx, store, l, r.Room, r.Limit)
}
