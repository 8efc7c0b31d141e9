package sqlite

import (
	"encoding/binary"
	"sort"
)

// The kinds of pages of a tree: of a table, by rowid, or of an index, by key.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// A node is a page of a tree.
type node struct {
	page  []byte // its usable part
	kind  byte
	cells []byte // where they begin, two bytes each
	right uint32 // of an interior one: the child after all cells
}

// node reads a page of a tree that is leaf or interior of one kind.
func (s *Snapshot) node(n uint32, interior, leaf byte) (node, error) {
	p, err := s.page(n)
	if err != nil {
		return node{}, err
	}
	p = p[:s.usable]
	head := p
	if n == 1 {
		head = p[headerSize:]
	}
	t, size := node{page: p, kind: head[0]}, 8
	if t.kind != interior && t.kind != leaf {
		return t, corrupt("page %d is of kind %d", n, t.kind)
	}
	if t.kind == interior {
		t.right, size = binary.BigEndian.Uint32(head[8:]), 12
	}
	count := int(binary.BigEndian.Uint16(head[3:]))
	if size+2*count > len(head) {
		return t, corrupt("page %d with %d cells", n, count)
	}
	t.cells = head[size : size+2*count]
	return t, nil
}

func (t *node) len() int { return len(t.cells) / 2 }

// cell returns the bytes from the beginning of a cell to the end of the page.
func (t *node) cell(i int) ([]byte, error) {
	at := int(binary.BigEndian.Uint16(t.cells[2*i:]))
	if at > len(t.page)-4 { // none is shorter
		return nil, corrupt("a cell at %d", at)
	}
	return t.page[at:], nil
}

// search returns the first cell that is not below what is sought. The cells must be in order, or it is any of them.
func (t *node) search(below func(cell []byte) (bool, error)) (i int, err error) {
	i = sort.Search(t.len(), func(i int) bool {
		cell, cellErr := t.cell(i)
		is := false
		if cellErr == nil {
			is, cellErr = below(cell)
		}
		if cellErr != nil && err == nil {
			err = cellErr
		}
		return !is
	})
	return i, err
}

// payload returns a record whose size precedes it in a cell; nil where it is longer than MaxRow. local is
// how much of it a cell holds at most: what is more lies in a chain of pages.
func (s *Snapshot) payload(size uint64, cell []byte, local int) (record, error) {
	if size > MaxRow {
		return nil, nil
	}
	total := int(size)
	if int64(total) > int64(s.pages)*int64(s.size) { // or a chain that goes round makes a little database a big one
		return nil, corrupt("a row of %d bytes", total)
	}
	if total > local {
		least := (s.usable-12)*32/255 - 23
		if here := least + (total-least)%(s.usable-4); here <= local {
			local = here
		} else {
			local = least
		}
	} else {
		local = total
	}
	if local > len(cell) {
		return nil, corrupt("a cell is cut off")
	}
	if local == total {
		return cell[:total:total], nil
	}
	if local+4 > len(cell) {
		return nil, corrupt("a cell is cut off")
	}
	whole := append([]byte(nil), cell[:local]...)
	for next := binary.BigEndian.Uint32(cell[local:]); len(whole) < total; {
		p, err := s.page(next)
		if err != nil {
			return nil, err
		}
		whole = append(whole, p[4:min(s.usable, 4+total-len(whole))]...)
		next = binary.BigEndian.Uint32(p)
	}
	return whole, nil
}

// row returns what a cell of a table's leaf holds.
func (s *Snapshot) row(cell []byte) (id int64, r record, err error) {
	size, n := uvarint(cell)
	rowid, m := uvarint(cell[n:])
	if n == 0 || m == 0 {
		return 0, nil, corrupt("a cell is cut off")
	}
	r, err = s.payload(size, cell[n+m:], s.usable-35)
	return int64(rowid), r, err
}

// key returns what a cell of an index holds, whose children's number was cut off.
func (s *Snapshot) key(cell []byte) (record, error) {
	size, n := uvarint(cell)
	if n == 0 {
		return nil, corrupt("a cell is cut off")
	}
	return s.payload(size, cell[n:], (s.usable-12)*64/255-23)
}

// rows calls row with each of a table, in the order of their ids. r is nil for one that is too long.
func (s *Snapshot) rows(root uint32, row func(r record) error) error {
	left := int(s.pages) // a tree has no page twice
	var walk func(n uint32, depth int) error
	walk = func(n uint32, depth int) error {
		if left--; left < 0 || depth > maxDepth {
			return corrupt("a tree that goes round")
		}
		t, err := s.node(n, tableInterior, tableLeaf)
		if err != nil {
			return err
		}
		for i := range t.len() {
			cell, err := t.cell(i)
			if err != nil {
				return err
			}
			if t.kind == tableInterior {
				err = walk(binary.BigEndian.Uint32(cell), depth+1)
			} else {
				var r record
				if _, r, err = s.row(cell); err == nil {
					err = row(r)
				}
			}
			if err != nil {
				return err
			}
		}
		if t.kind == tableInterior {
			return walk(t.right, depth+1)
		}
		return nil
	}
	return walk(root, 1)
}

// rowByID returns one row of a table.
func (s *Snapshot) rowByID(root uint32, id int64) (record, error) {
	for n, depth := root, 1; depth <= maxDepth; depth++ {
		t, err := s.node(n, tableInterior, tableLeaf)
		if err != nil {
			return nil, err
		}
		i, err := t.search(func(cell []byte) (bool, error) {
			if t.kind == tableInterior {
				cell = cell[4:]
			} else if _, size := uvarint(cell); size > 0 {
				cell = cell[size:]
			}
			at, size := uvarint(cell)
			if size == 0 {
				return false, corrupt("a cell is cut off")
			}
			return int64(at) < id, nil
		})
		if err != nil {
			return nil, err
		}
		if t.kind == tableInterior {
			if n = t.right; i < t.len() {
				cell, err := t.cell(i)
				if err != nil {
					return nil, err
				}
				n = binary.BigEndian.Uint32(cell)
			}
			continue
		}
		if i < t.len() {
			cell, err := t.cell(i)
			if err != nil {
				return nil, err
			}
			if at, r, err := s.row(cell); err != nil || at == id {
				return r, err
			}
		}
		return nil, corrupt("an index names row %d, which is not there", id)
	}
	return nil, corrupt("a tree that goes round")
}

// keys calls key with each of an index whose first value is a text, in their order.
func (s *Snapshot) keys(root uint32, first string, key func(record) error) error {
	left := int(s.pages)
	compared := func(r record) (where int, err error) {
		if r == nil {
			return 0, corrupt("a key of an index is too long")
		}
		where = -1 // of a key without a value
		err = r.values(func(_ int, v Value) bool {
			where = v.compare(first)
			return false
		})
		return where, err
	}
	var walk func(n uint32, depth int) (done bool, err error)
	walk = func(n uint32, depth int) (done bool, err error) {
		if left--; left < 0 || depth > maxDepth {
			return true, corrupt("a tree that goes round")
		}
		t, err := s.node(n, indexInterior, indexLeaf)
		if err != nil {
			return true, err
		}
		child := 0
		if t.kind == indexInterior {
			child = 4
		}
		i, err := t.search(func(cell []byte) (bool, error) {
			r, err := s.key(cell[child:])
			if err != nil {
				return false, err
			}
			where, err := compared(r)
			return where < 0, err
		})
		for ; err == nil && i < t.len(); i++ {
			var cell []byte
			if cell, err = t.cell(i); err != nil {
				break
			}
			if child > 0 {
				if done, err = walk(binary.BigEndian.Uint32(cell), depth+1); done || err != nil {
					return true, err
				}
			}
			var r record
			if r, err = s.key(cell[child:]); err != nil {
				break
			}
			where, orderErr := compared(r)
			if err = orderErr; err != nil || where > 0 {
				return true, err
			}
			if where == 0 {
				err = key(r)
			}
		}
		if err != nil {
			return true, err
		}
		if child > 0 {
			return walk(t.right, depth+1)
		}
		return false, nil
	}
	_, err := walk(root, 1)
	return err
}
