package sqlite

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// The kinds of pages of a tree: of a table, by rowid, or of an index, by key.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// A cell is a row, a key of an index, or what separates two children.
type cell struct {
	kind  byte   // of its page
	child uint32 // with the cells before it; of an interior page
	rowid int64  // of a table
	size  uint64 // of its payload; not of a table's interior page
	local []byte // from where the payload begins to the end of the page
}

// cellAt parses the cell at an offset of a page.
func cellAt(page []byte, at int, kind byte) (cell, error) {
	c := cell{kind: kind}
	if at > len(page)-4 { // none is shorter
		return c, corrupt("a cell at %d", at)
	}
	p := page[at:]
	if kind == indexInterior || kind == tableInterior {
		c.child, p = binary.BigEndian.Uint32(p), p[4:]
	}
	whole := true
	number := func() uint64 {
		v, n := uvarint(p)
		p, whole = p[n:], whole && n > 0
		return v
	}
	if kind != tableInterior {
		c.size = number()
	}
	if kind == tableInterior || kind == tableLeaf {
		c.rowid = int64(number())
	}
	if c.local = p; !whole {
		return c, corrupt("a cell is cut off")
	}
	return c, nil
}

// walk calls visit with the rows or keys of a tree that order calls 0, in their order. order is negative for what is before
// them, and positive for what is after.
func (s *Snapshot) walk(n uint32, depth int, order func(cell) (int, error), visit func(cell) error) error {
	if depth > maxDepth {
		return corrupt("a tree that has a cycle")
	}
	page, err := s.page(n)
	if err != nil {
		return err
	}
	head, size := page, 8
	if n == 1 {
		head = page[headerSize:]
	}
	kind := head[0]
	switch kind {
	case indexInterior, tableInterior:
		size = 12
	case indexLeaf, tableLeaf:
	default:
		return corrupt("page %d is of kind %d", n, kind)
	}
	count := int(binary.BigEndian.Uint16(head[3:]))
	if size+2*count > len(head) {
		return corrupt("page %d with %d cells", n, count)
	}
	s.left -= count / 8
	for i := range count {
		c, err := cellAt(page, int(binary.BigEndian.Uint16(head[size+2*i:])), kind)
		if err != nil {
			return err
		}
		is, err := order(c)
		if err == nil && is >= 0 && size == 12 {
			err = s.walk(c.child, depth+1, order, visit)
		}
		if err == nil && is == 0 && kind != tableInterior {
			err = visit(c)
		}
		if err != nil || is > 0 {
			return err
		}
	}
	if size == 12 {
		return s.walk(binary.BigEndian.Uint32(head[8:]), depth+1, order, visit)
	}
	return nil
}

// everything is the order of a scan.
func everything(cell) (int, error) { return 0, nil }

// byRowid is the order in which one row is found.
func byRowid(id int64) func(cell) (int, error) {
	return func(c cell) (int, error) { return cmp.Compare(c.rowid, id), nil }
}

// byText is the order in which the keys of an index are found whose first value is a text.
func (s *Snapshot) byText(first string) func(cell) (int, error) {
	return func(c cell) (int, error) {
		key, err := s.values(c)
		if err != nil || len(key) == 0 {
			return 0, cmp.Or(err, corrupt("a key of an index without a value, or too long"))
		}
		return cmp.Or(cmp.Compare(key[0].kind, text), bytes.Compare(key[0].Text, []byte(first))), nil
	}
}

// payload returns what is stored in a cell; nil if it is longer than MaxRow.
func (s *Snapshot) payload(c cell) ([]byte, error) {
	if c.size > MaxRow {
		return nil, nil
	}
	total, local := int(c.size), s.usable-35 // the most that is on the page: more is in a chain of pages
	if c.kind != tableLeaf {
		local = (s.usable-12)*64/255 - 23
	}
	if int64(total) > int64(s.pages)*int64(s.size) { // a chain that has a cycle would make a small database a large one
		return nil, corrupt("a row of %d bytes", total)
	}
	if total <= local && total <= len(c.local) {
		return c.local[:total:total], nil
	}
	if total > local {
		least := (s.usable-12)*32/255 - 23
		if here := least + (total-least)%(s.usable-4); here <= local {
			local = here
		} else {
			local = least
		}
	}
	if local+4 > len(c.local) {
		return nil, corrupt("a cell is cut off")
	}
	whole := append(make([]byte, 0, total), c.local[:local]...)
	for next := binary.BigEndian.Uint32(c.local[local:]); len(whole) < total; {
		p, err := s.page(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(p)
		whole = append(whole, p[4:min(len(p), 4+total-len(whole))]...)
	}
	return whole, nil
}
