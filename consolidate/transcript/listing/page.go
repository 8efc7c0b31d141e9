package listing

import (
	"context"
	"dream-mcp/consolidate/transcript/search"
	"fmt"
	"strings"
)

// A Page is a part of a list. Lines of its Text that begin with ":" are utterances, and those that are indented go
// on with them; any other begins a session.
type Page struct {
	Number     int
	Text       string
	Shown      []Range  // what is on it
	Sessions   int      // that are shown to their end, up to this page
	Utterances int      // up to this page
	Of         int      // utterances in the list
	Cursor     string   // of the next page; empty on the last
	Touched    []string // the passages that its utterances name

	List *List
}

// A Range is utterances of one session that a page shows, each listed one from First to Last. The one before First, if
// there is any, is After.
type Range struct {
	Session            string
	After, First, Last Mark
}

// A position is where a page begins: in a segment, at one of its session's kept.
type position struct{ segment, at int }

// A page that leaves out no more than maxLeft utterances has them too, if it is then longer by a sixteenth at most.
const maxLeft = 5

// pageFrom returns the page of a list that begins at a position, with about so many bytes of text and, if limit is
// above 0, at most so many utterances; at least one line.
func (l *List) pageFrom(ctx context.Context, store *search.Store, p position, number, pageBytes, limit int) (Page, error) {
	page, err := l.page(ctx, store, p, number, pageBytes, limit)
	if err == nil && page.Cursor != "" && limit == 0 && page.Of-page.Utterances <= maxLeft {
		if last, err := l.page(ctx, store, p, number, pageBytes+pageBytes/16, limit); err == nil && last.Cursor == "" {
			return last, nil
		}
	}
	return page, err
}

// page is pageFrom with at most so many bytes.
func (l *List) page(ctx context.Context, store *search.Store, p position, number, pageBytes, limit int) (Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := Page{Number: number, Of: l.utterances, List: l}
	var text strings.Builder
	shown, where := 0, ""
	for ; p.segment < len(l.segments); p = (position{p.segment + 1, 0}) {
		g := &l.segments[p.segment]
		s := &l.sessions[g.session]
		t := talk{store: store, list: l, number: p.segment, segment: g, session: s}
		var head string
		head, where = t.header(p.at > g.from || g.from > 0 || s.after != Mark{}, where)
		fits := func(more int) bool {
			return len(page.Shown) == 0 || text.Len()+len(head)+more <= pageBytes
		}
		at, full := max(p.at, g.from), false
		for at < g.to {
			if s.kept[at].folded {
				if full = !fits(0); full {
					break
				}
				text.WriteString(head)
				head = ""
				page.add(s, at)
				at++
				continue
			}
			if t.row == nil {
				if err := t.read(ctx, s.kept[at].Mark, s.kept[g.to-1].Mark); ctx.Err() != nil {
					return page, ctx.Err()
				} else if err != nil {
					t.said, t.row = nil, map[Mark]int{} // each line says that it is gone
				}
			}
			line, touched := t.line(at)
			full = t.cut && !s.kept[at].Mark.Before(t.last) && shown > 0 || limit > 0 && shown == limit || shown > 0 && !fits(len(line))
			if full {
				break
			}
			text.WriteString(head + line)
			head = ""
			if _, readable := t.utterance(at); readable {
				page.add(s, at)
			}
			page.Touched = append(page.Touched, touched...)
			shown, at = shown+1, at+1
		}
		if full {
			p.at = at
			break
		}
	}
	return l.ended(page, p, text.String()), nil
}

// add records that a page shows an utterance of a session, or the one that it is folded into.
func (page *Page) add(s *session, at int) {
	last := s.kept[at].Mark
	if n := len(page.Shown) - 1; n >= 0 && page.Shown[n].Session == s.ID && at > 0 && page.Shown[n].Last == s.kept[at-1].Mark {
		page.Shown[n].Last = last
		return
	}
	after := s.after
	if at > 0 {
		after = s.kept[at-1].Mark
	}
	page.Shown = append(page.Shown, Range{Session: s.ID, After: after, First: last, Last: last})
}

// ended completes a page that ends before a position.
func (l *List) ended(page Page, p position, text string) Page {
	page.Text = text
	whole := make([]int, len(l.sessions))
	for i, g := range l.segments {
		switch {
		case i < p.segment:
			whole[g.session] += g.to - g.from
		case i == p.segment && p.at > g.from:
			whole[g.session] += p.at - g.from
		}
	}
	for i, n := range whole {
		page.Utterances += n
		if n > 0 && n == len(l.sessions[i].kept) && !l.sessions[i].File.Memory() {
			page.Sessions++
		}
	}
	if p.segment < len(l.segments) {
		page.Cursor = fmt.Sprintf("%s-%d-%d-%d", l.id, p.segment, p.at, page.Number+1)
	}
	return page
}
