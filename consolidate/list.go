package consolidate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/related"
	"dream-mcp/memory/rule"
)

// firstSessions is the number of sessions that the first listing shows, the newest.
const firstSessions = 30

// ListRequest chooses what is listed. By default it is what the user said in the sessions since the last dream.
type ListRequest struct {
	Since, Until time.Time
	SinceLast    bool   // since the last dream; the default in a dream
	Session      string // an ID, or the beginning of one
	Speakers     []said.Speaker
	Host         said.HostID // only what was said in it, and what it remembers; "": in all
	Cursor       string      // of the page before; other fields but PageBytes and Limit are then ignored
	PageBytes    int         // bytes of text on a page
	Limit        int         // utterances on a page; 0: no limit
	Whole        int         // shorter texts, in characters, are not abridged; 0: the default of listing.Query
}

// window reports whether the request is for the time since the last dream.
func (r ListRequest) window(dreaming bool) bool {
	return r.SinceLast || dreaming && r.Session == "" && r.Since.IsZero() && r.Until.IsZero()
}

// List lists what was said. It counts as a call of the open dream, which records what it was shown.
func (s *Sessions) List(ctx context.Context, r ListRequest) (page listing.Page, err error) {
	begun, err := s.beginList(ctx, r.Cursor == "")
	if err != nil {
		return page, err
	}
	if page, err = s.page(ctx, r, r.window(begun.dream != nil), begun); err != nil {
		return page, err
	}
	return page, s.endList(page, begun)
}

// listingOf is what a call of List needs of the project.
type listingOf struct {
	dream *dream
	last  listed.Progress
	known func(text string) bool // reports whether the memories say a text already

	// As in listing.Query; nil outside dreams, and where the list is made already.
	said  func(text string)
	touch listing.Touch
}

// beginList begins a call of List. With isNew the call makes a new list.
func (s *Sessions) beginList(ctx context.Context, isNew bool) (l listingOf, err error) {
	defer s.p.Store.Lock()()
	if err = s.enter(); err != nil {
		return l, err
	}
	l.dream = s.p.dream
	if l.last, err = s.sinceLast(ctx); err == nil {
		l.known = s.known(ctx)
	}
	if isNew {
		l.said, l.touch = l.dream.touch()
	}
	return l, err
}

// endList records what a page has shown.
func (s *Sessions) endList(page listing.Page, begun listingOf) error {
	p, d, m := s.p, begun.dream, begun.last
	defer p.Store.Lock()()
	if d == nil || p.dream != d {
		return nil
	}
	e := state.Event{Kind: state.EventListed, Hits: page.Utterances}
	for _, t := range page.Touched {
		e.Files = append(e.Files, d.pages.noteTouched(t))
	}
	d.log(e)
	if page.List.Window {
		d.pages.unlisted = ""
		if page.Cursor != "" {
			d.pages.unlisted = fmt.Sprintf(`{"cursor": %q}`, page.Cursor)
		}
	}
	if !page.List.Tracked() {
		return nil
	}
	if d.Listed == nil {
		d.Listed = &listed.Record{From: m.Since}
	}
	if page.List.Window {
		d.Listed.Open(page.List)
	}
	d.Listed.Add(page, m.Last())
	return d.Save()
}

// known returns a filter for texts that the memories, as the open dream would leave them, already say.
func (s *Sessions) known(ctx context.Context) func(text string) bool {
	written, err := s.p.asWritten(ctx)
	if err != nil {
		return nil
	}
	says := sync.OnceValue(func() func(string) bool { return rule.Says(written.Topics) }) // mostly nothing is asked
	return func(text string) bool { return says()(text) }
}

// page returns a page of a listing.
func (s *Sessions) page(ctx context.Context, r ListRequest, window bool, with listingOf) (listing.Page, error) {
	all, m := s.p.Transcripts, with.last
	if r.Cursor != "" {
		return s.lists.Next(ctx, all, r.Cursor, r.PageBytes, r.Limit)
	}
	q := listing.Query{Since: r.Since, Until: r.Until, Session: r.Session, Speakers: r.Speakers, Whole: r.Whole, Host: r.Host,
		Zone: s.p.Store.Now().Location(), Said: with.said, Touch: with.touch}
	if window {
		q.After, q.Modified = m.Last(), m.Since
	}
	if (!window || !m.Listed) && r.Session == "" && r.Since.IsZero() {
		q.Newest = firstSessions
	}
	if q.Host == "" {
		q.Known = with.known
	}
	taken := s.p.Store.Now()
	l, err := listing.New(ctx, all, q)
	if err != nil {
		return listing.Page{}, err
	}
	l.Taken, l.Window = taken, window && r.Session == ""
	return s.lists.First(ctx, all, l, r.PageBytes, r.Limit)
}

// sinceLast returns how far dreams have listed that landed and were not undone. If their marks are lost, all is listed
// again. If none has landed, that is the time of the last dream of any program.
func (s *Sessions) sinceLast(ctx context.Context) (listed.Progress, error) {
	if all, _ := state.Listed.Get(s.p.Store.Records.Look()); len(all) > 0 {
		undone, err := s.p.Store.Records.Undone(listed.Dreams(all)...)
		return listed.Joined(all, undone), err
	}
	if dreamed, err := s.p.dreamed(); dreamed || err != nil {
		return listed.Progress{}, err
	}
	since, err := s.lastRead(ctx)
	return listed.Progress{Since: since}, err
}

// maxAsked is how many bytes of an utterance are looked at.
const maxAsked = 1_500

// touch returns two functions, nil outside dreams: said counts the words of an utterance, touch finds the passages that
// it is about.
func (d *dream) touch() (said func(text string), touch listing.Touch) {
	if d == nil {
		return nil, nil
	}
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil || len(s.Topics) == 0 {
		return nil, nil
	}
	x := related.New(related.Documents(s.Shown(nil)))
	return func(text string) { x.Said(asked(text)) }, touchOf(x, d.createdByOthers())
}

// asked returns what is looked at of an utterance.
func asked(text string) string { return text[:min(len(text), maxAsked)] }

// createdByOthers returns the memories that somebody else created since the last dream, as the map shows them.
func (d *dream) createdByOthers() map[string]bool {
	created := map[string]bool{}
	if d.drawn != nil {
		for _, c := range d.drawn.Changed {
			created[c.File] = c.Action == "created"
		}
	}
	return created
}

// touchOf finds the passages of x that an utterance is about. A new memory often says the same again: it is named where
// no other is.
func touchOf(x *related.Index, isNew map[string]bool) listing.Touch {
	return func(text string) (touched []string) {
		about := x.About(asked(text), func(file string) bool { return isNew[file] })
		if about == nil {
			about = x.About(asked(text), nil)
		}
		for _, p := range about {
			touched = append(touched, p.Where())
		}
		return touched
	}
}
