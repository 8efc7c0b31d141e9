package consolidate

import (
	"slices"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// maxWhole is the size, in bytes, of a memory that is read whole in each dream.
const maxWhole = 10_000

// readingOrder sorts names as d shows them, which the first page fixes.
func (d *dream) readingOrder(names []memory.Name, pageBytes int, first bool) (err error) {
	switch later := d.before() != nil; {
	case later && first:
		err = d.newsFirst(names)
	case !later && d.order == nil:
		err = d.together(pageBytes)
	}
	if d.order != nil {
		slices.SortStableFunc(names, func(a, b memory.Name) int { return d.place(a.String()) - d.place(b.String()) })
	}
	return err
}

// together sets the order of a first dream: what shares most is on one page.
func (d *dream) together(pageBytes int) error {
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	size := map[string]int{}
	for n, t := range s.Topics {
		size[n.String()] = shownBytes(n, string(t.Bytes()))
	}
	order := related.New(related.Documents(s.Shown(nil))).Order(pageBytes, func(file string) int { return size[file] })
	d.order, d.about = map[string]int{}, -1
	for _, file := range append(d.readBefore(), order...) {
		if _, placed := d.order[file]; !placed {
			d.order[file] = len(d.order)
		}
	}
	return nil
}

// readBefore returns the memories that d showed on pages of all before it was cut off, in their order.
func (d *dream) readBefore() (files []string) {
	if !d.Resumed {
		return nil
	}
	db := d.p.Store.Records.Look()
	events, _ := db.Events(d.ID).All()
	var now []string // since it was resumed
	for _, e := range events {
		if e.Kind == state.EventBegun {
			files, now = append(files, now...), nil
		}
		if e.Kind == state.EventRead {
			now = append(now, e.Files...)
		}
	}
	return files
}

// remember sets what the listing touched before d was cut off.
func (d *dream) remember() {
	if d.touches != nil {
		return
	}
	d.touches = map[string]bool{}
	events, _ := d.p.Store.Records.Look().Events(d.ID).All() // without them it is as if it had not begun
	for _, e := range events {
		for _, file := range e.Files {
			if e.Kind == state.EventListed {
				d.touches[file] = true
			}
		}
	}
}

// newsFirst sets the order of a later dream, of which names has all memories: those that the map is about and the listing touched
// come first, unless the map was not asked for or all are read at once.
func (d *dream) newsFirst(names []memory.Name) error {
	d.order, d.about = nil, -1
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range s.Topics {
		size += len(t.Bytes())
	}
	if d.news == nil || size <= maxWhole {
		return nil
	}
	d.order, d.about = map[string]int{}, 0
	for _, news := range []bool{true, false} {
		for _, n := range names {
			if (d.news[n.String()] || d.touches[n.String()] || d.parts[n.String()] != nil) == news {
				d.order[n.String()] = len(d.order)
			}
		}
		if news {
			d.about = len(d.order)
		}
	}
	return nil
}

// place returns the place of a memory when all are read; new ones are last.
func (d *dream) place(name string) int {
	if i, ok := d.order[name]; ok {
		return i
	}
	return len(d.order)
}

// after returns the index of the first name after one that may be gone.
func (d *dream) after(names []memory.Name, name string) int {
	if i := slices.IndexFunc(names, func(n memory.Name) bool { return n.String() == name }); i >= 0 {
		return i + 1
	}
	i := slices.IndexFunc(names, func(n memory.Name) bool {
		if d != nil && d.order != nil {
			return d.place(n.String()) > d.place(name)
		}
		return n.String() > name
	})
	if i < 0 {
		return len(names)
	}
	return i
}

// shownBytes returns about how many bytes a page has of a memory.
func shownBytes(n memory.Name, text string) int {
	_, brief := memory.Brief(n, text)
	return len(brief) + len(n.String()) + 60
}
