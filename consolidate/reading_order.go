package consolidate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// maxWhole is the size, in bytes, of a memory that is read whole in each dream.
const maxWhole = 10_000

// readingOrder is the order in which a dream reads all memories.
type readingOrder int

const (
	byName    readingOrder = iota
	together               // in a first dream: what shares most is on one page
	newsFirst              // in a later one: what has news; then, on pages that only a cursor asks for, the others by name
)

// topicPages are the pages on which a dream reads all memories. Of the zero value they are in the order of their names.
type topicPages struct {
	order  readingOrder
	places map[string]int // together: of all memories; newsFirst: of those that have news

	// What has news.
	whole    map[string]bool  // the memories that a map was about, or that were touched before the dream was interrupted
	parts    map[string][]int // by memory, the lines of the passages that the map or the listing touched
	unlisted string           // the arguments that list what was not listed yet and may be news, too; "" at its end

	readBefore []string // the memories that were read on pages before the dream was interrupted, in their order
}

// newTopicPages returns the pages of the dream t, which may be resumed. If its events cannot be read, it is as if there
// were none.
func newTopicPages(db *state.DB, t *ops.Tx) topicPages {
	p := topicPages{whole: map[string]bool{}, parts: map[string][]int{}, unlisted: "{}"}
	if !t.Resumed {
		return p
	}
	events, _ := db.Events(t.ID).All()
	for _, e := range events {
		switch e.Kind {
		case state.EventRead:
			p.readBefore = append(p.readBefore, e.Files...)
		case state.EventListed:
			for _, file := range e.Files {
				p.whole[file] = true
			}
		}
	}
	return p
}

// noteMap notes the news of m: what it has findings on, what was changed, and what has a day that has come.
func (p *topicPages) noteMap(m *Map) {
	for _, f := range m.Findings {
		p.whole[f.File] = true
	}
	for _, passed := range m.Passed {
		p.whole[passed.File] = true
	}
	for _, c := range m.Changed {
		p.whole[c.File] = true
		for _, nearest := range c.Nearest() {
			p.noteTouched(nearest.Where())
		}
	}
	if len(m.Sessions) <= m.Listed {
		p.unlisted = ""
	}
}

// noteTouched notes that something new touches a passage, as in related.Passage.Where, and returns its file.
func (p *topicPages) noteTouched(where string) (file string) {
	colon := strings.LastIndexByte(where, ':')
	file = where[:colon]
	line, _ := strconv.Atoi(where[colon+1:])
	p.parts[file] = append(p.parts[file], line)
	return file
}

// begin begins an order without a memory.
func (p *topicPages) begin(order readingOrder) {
	p.order, p.places = order, map[string]int{}
}

// add gives a memory the next place, unless it has one.
func (p *topicPages) add(file string) {
	if _, placed := p.places[file]; !placed {
		p.places[file] = len(p.places)
	}
}

// compare compares two memories by their places. Those without a place are last, in the order of their names.
func (p *topicPages) compare(a, b string) int {
	place := func(file string) int {
		if i, placed := p.places[file]; placed {
			return i
		}
		return len(p.places)
	}
	return cmp.Or(place(a)-place(b), strings.Compare(a, b))
}

// after sorts names, and returns those on the pages after a memory, which may be gone. "" and the index are before the
// first page. With news these pages have only what has news, which from "" on may be nothing, and others counts the
// rest.
func (p *topicPages) after(names []memory.Name, file string) (left []memory.Name, news bool, others int) {
	slices.SortFunc(names, func(a, b memory.Name) int { return p.compare(a.String(), b.String()) })
	if file != "" && file != memory.IndexFile {
		names = slices.DeleteFunc(names, func(n memory.Name) bool { return p.compare(n.String(), file) <= 0 })
	}
	if p.order != newsFirst {
		return names, false, 0
	}
	end := slices.IndexFunc(names, func(n memory.Name) bool { _, placed := p.places[n.String()]; return !placed })
	if end < 0 {
		end = len(names)
	}
	if end == 0 && file != "" {
		return names, false, 0
	}
	return names[:end], true, len(names) - end
}

// arrange sets the order of the memories with these names, which are all. The first page sets it.
func (d *dream) arrange(names []memory.Name, pageBytes int, first bool) error {
	switch later := d.before != nil; {
	case later && first:
		return d.putNewsFirst(names)
	case !later && d.pages.order == byName:
		return d.putTogether(pageBytes)
	}
	return nil
}

// putTogether sets the order of a first dream. What was read before it was interrupted keeps its place.
func (d *dream) putTogether(pageBytes int) error {
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	size := map[string]int{}
	for n, t := range s.Topics {
		size[n.String()] = shownBytes(n, string(t.Bytes()))
	}
	order := related.New(related.Documents(s.Shown(nil))).Order(pageBytes, func(file string) int { return size[file] })
	d.pages.begin(together)
	for _, file := range append(slices.Clone(d.pages.readBefore), order...) {
		d.pages.add(file)
	}
	return nil
}

// putNewsFirst sets the order of a later dream, unless the map was not asked for or all memories are read at once.
func (d *dream) putNewsFirst(names []memory.Name) error {
	p := &d.pages
	p.begin(byName)
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range s.Topics {
		size += len(t.Bytes())
	}
	if d.drawn == nil || size <= maxWhole {
		return nil
	}
	p.begin(newsFirst)
	for _, n := range names {
		if file := n.String(); p.whole[file] || p.parts[file] != nil {
			p.add(file)
		}
	}
	return nil
}

// shownBytes returns about how many bytes a page has of a memory.
func shownBytes(n memory.Name, text string) int {
	_, brief := memory.Brief(n, text)
	return len(brief) + len(n.String()) + 60
}
