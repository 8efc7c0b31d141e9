package consolidate

import (
	"context"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/listing"
)

// firstSessions is the number of sessions that the first listing shows, the newest.
const firstSessions = 30

// ListRequest chooses what is listed. By default it is what the user said in the sessions since the last dream.
type ListRequest struct {
	Since, Until time.Time
	SinceLast    bool   // since the last dream; the default in a dream
	Session      string // an ID, or the beginning of one
	Speakers     []transcript.Speaker
	Cursor       string // of the page before; other fields but Room and Limit are then ignored
	Room         int    // bytes of text on a page
	Limit        int    // utterances on a page; 0: no limit
	Whole        int    // shorter texts, in characters, are not abridged; 0: the default of listing.Query
}

// window reports whether the request is for the time since the last dream.
func (r ListRequest) window(dreaming bool) bool {
	return r.SinceLast || dreaming && r.Session == "" && r.Since.IsZero() && r.Until.IsZero()
}

// touchSlack is the coarsest precision of a modification time on any file system.
const touchSlack = 2 * time.Second

// readings are the operations that read, in a dream or outside one.
type readings struct {
	*dreams
	lists listing.Book
	early early
}

// early is what was listed on this connection before a dream was open.
type early struct {
	listed.Record
	at time.Time // the last page
}

// List lists what was said. It counts as a call of the open dream, which records what it was shown.
func (p *readings) List(ctx context.Context, r ListRequest) (listing.Page, error) {
	p.Lock()
	err := p.beginSearch(nil, "")
	d := p.dream
	var m listed.Marks
	if err == nil {
		m, err = p.sinceLast()
	}
	p.Unlock()
	if err != nil {
		return listing.Page{}, err
	}
	window := r.window(d != nil)
	page, err := p.list(ctx, r, window, m)
	if err != nil {
		return page, err
	}
	p.Lock()
	defer p.Unlock()
	if d == nil && page.List.Tracked() {
		p.early.add(page, m, p.Now(), p.o.Lease)
	}
	if d == nil || p.dream != d {
		return page, nil
	}
	p.logEvent(Event{Kind: EventListed, Hits: page.Utterances})
	if page.List.Tracked() {
		if d.Listed == nil {
			d.Listed = &listed.Record{From: m.Since}
		}
		if page.List.Window {
			d.Listed.Open(page.List)
		}
		d.Listed.Add(page, m.Last())
		err = d.Save()
	}
	return page, err
}

// add takes in a page. What was listed longer ago than a lease lasts is forgotten: whoever read it may be another.
func (e *early) add(page listing.Page, m listed.Marks, now time.Time, lease time.Duration) {
	if now.Sub(e.at) >= lease {
		*e = early{}
	}
	e.at = now
	before := map[string]listing.Mark{} // all was listed
	if page.List.Window {
		before = m.Last()
	}
	e.Add(page, before)
}

// countEarly makes what was listed shortly before the dream count as listed in it, as far as it goes on where the last dream's
// listing ended.
func (p *readings) countEarly(ctx context.Context) error {
	p.Lock()
	d, e := p.dream, p.early
	p.early = early{}
	m, err := p.sinceLast()
	p.Unlock()
	if err != nil || d == nil || len(e.Shown) == 0 || p.Now().Sub(e.at) >= p.o.Lease {
		return err
	}
	page, err := p.list(ctx, ListRequest{Room: 1}, true, m)
	if err != nil {
		return err
	}
	p.Lock()
	defer p.Unlock()
	if p.dream != d {
		return nil
	}
	if d.Listed == nil {
		d.Listed = &listed.Record{From: m.Since}
	}
	d.Listed.Open(page.List)
	d.Listed.Join(e.Record)
	return d.Save()
}

// list returns a page. The mutex is not held, since reading sessions may take seconds.
func (p *readings) list(ctx context.Context, r ListRequest, window bool, m listed.Marks) (listing.Page, error) {
	store := p.o.Transcripts
	if r.Cursor != "" {
		return p.lists.Next(ctx, store, r.Cursor, r.Room, r.Limit)
	}
	q := listing.Query{Since: r.Since, Until: r.Until, Session: r.Session, Speakers: r.Speakers, Whole: r.Whole, Zone: p.Now().Location()}
	if window {
		q.After = m.Last()
		if !m.Since.IsZero() {
			q.Touched = m.Since.Add(-touchSlack)
		}
	}
	if (!window || !m.Listed) && r.Session == "" && r.Since.IsZero() {
		q.Newest = firstSessions
	}
	taken := p.Now()
	l, err := listing.New(ctx, store, q)
	if err != nil {
		return listing.Page{}, err
	}
	l.Taken, l.Window = taken, window && r.Session == ""
	return p.lists.First(ctx, store, l, r.Room, r.Limit)
}

// listed returns the sessions that were listed in the open dream.
func (p *dreams) listed() []string {
	if p.dream == nil || p.dream.Listed == nil {
		return nil
	}
	return slices.Collect(maps.Keys(p.dream.Listed.Shown))
}

// sinceLast returns what was listed by dreams that landed and were not undone. Since is the time from which sessions
// are to be listed: since the last dream, whoever ran it, where nothing was listed before.
func (p *base) sinceLast() (listed.Marks, error) {
	root, err := p.Root()
	if err == nil {
		if all := listed.Read(root); len(all) > 0 {
			undone, err := p.Undone()
			return listed.Joined(all, undone), err
		}
	}
	since, err := p.consolidated()
	return listed.Marks{Since: since.Time}, err
}

// consolidated returns the time of the last consolidation.
func (p *base) consolidated() (lock.Stamp, error) {
	dir, err := p.Dir()
	if err != nil {
		return lock.Stamp{}, err
	}
	if dir != nil {
		defer dir.Close()
	}
	return p.Since(dir)
}
