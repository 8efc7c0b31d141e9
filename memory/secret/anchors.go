package secret

import (
	"slices"
	"strings"
	"sync"
)

// anchor is a piece of text without which a credential of some kind can't be there.
type anchor struct {
	text  string                           // at least anchorSize bytes
	fold  bool                             // text is lower case, and matches any case of its ASCII letters
	match func(s *scan, at int) (next int) // notes what is found at a place; next is where to go on, 0 for the next byte
}

// anchorSize is how many bytes of an anchor the filter looks at, and heads how many they can be.
const (
	anchorSize = 3
	heads      = 1 << (5 * anchorSize)
)

// filter finds every anchor of a table in one pass, by the last three bytes, five bits of each: these are the
// same for both cases of a letter. A search for each of the 300 would take as many passes.
type filter struct {
	nth   [heads]uint16 // which list has those that begin so
	lists [][]anchor    // the longest first; the first list is empty
}

// table is made when the first text is looked at: who never looks at one does not pay for it.
var table = sync.OnceValue(func() *filter {
	f := &filter{lists: make([][]anchor, 1)}
	for nth, sh := range shapes() {
		for _, prefix := range sh.prefixes {
			f.add(anchor{text: prefix, match: sh.matcher(nth, len(prefix))})
		}
	}
	for _, a := range formAnchors() {
		f.add(a)
	}
	for _, list := range f.lists {
		slices.SortStableFunc(list, func(a, b anchor) int { return len(b.text) - len(a.text) })
	}
	return f
})

func (f *filter) add(a anchor) {
	head := uint16(0)
	for i := range anchorSize {
		head = roll(head, a.text[i])
	}
	if f.nth[head] == 0 {
		f.nth[head] = uint16(len(f.lists))
		f.lists = append(f.lists, nil)
	}
	list := &f.lists[f.nth[head]]
	*list = append(*list, a)
}

// roll adds a byte to the bits of the two before.
func roll(head uint16, c byte) uint16 { return (head<<5 | uint16(c&31)) % heads }

// each calls found for each anchor of the text, from left to right and at one place the longest first,
// until it returns a place further on, where it goes on.
func (f *filter) each(text string, found func(at int, a anchor) (next int)) {
	head, from := uint16(0), 0
	for i := 0; i < len(text); i++ {
		head = roll(head, text[i])
		at := i - (anchorSize - 1)
		if at < from {
			continue
		}
		for _, a := range f.lists[f.nth[head]] {
			if !a.begins(text[at:]) {
				continue
			}
			if next := found(at, a); next > at {
				from, i = next, next-1
				break
			}
		}
	}
}

// begins reports whether a text begins with the anchor.
func (a anchor) begins(text string) bool {
	return strings.HasPrefix(text, a.text) || a.fold && len(text) >= len(a.text) && strings.EqualFold(text[:len(a.text)], a.text)
}
