package merge

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"dream-mcp/memory"
)

// A part is a segment of a, b or both.
type part struct {
	memory.Segment
	class int
}

// The classes of parts, in the order in which they are preferred.
const (
	ofBoth  = iota
	added   // by one side
	removed // by one side, and kept by the other
	classes
)

// woven is the merge of two texts.
type woven struct {
	segments []memory.Segment
	clash    bool // both removed segments in one place, or wrote a new text, and differently
	removedA bool // both changed something in one place, where a removed segments of base
}

// A version is how often a text has a key, and the first segment of it.
type version struct {
	memory.Segment
	n int
}

// versions are those of base, a and b by key.
type versions map[string]*[3]version

// weave applies the changes that lead from base to a and from base to b. The result does not depend on which of the two
// is a.
//
// It has what both kept and what either added, in order. How often it has a key follows from how often the three texts
// have it, so that what one side moved and the other removed is not in it. both merges two texts of one key; lines need
// none, since their key is their text.
func weave(base, a, b []memory.Segment, both func(base, a, b memory.Segment) memory.Segment) (w woven) {
	v := versions{}
	for i, side := range [][]memory.Segment{base, a, b} {
		for _, s := range side {
			if v[s.Key] == nil {
				v[s.Key] = &[3]version{}
			}
			if of := &v[s.Key][i]; of.n == 0 {
				*of = version{s, 1}
			} else {
				of.n++
			}
		}
	}
	all := w.align(parts(base), parts(a), parts(b))
	left := make(map[string]int) // how often a key is still to be added
	for _, p := range all {
		left[p.Key] = v.count(p.Segment)
	}
	keep := make([]bool, len(all))
	for class := range classes {
		for i, p := range all {
			if blank := strings.TrimSpace(p.Key) == ""; p.class == class && (blank && class != removed || !blank && left[p.Key] > 0) {
				keep[i] = true
				left[p.Key]--
			}
		}
	}
	for i, p := range all {
		if keep[i] {
			w.segments = append(w.segments, v.text(p.Key, both))
		}
	}
	return w
}

// align returns the parts of both sides in order. It cuts the texts at each segment of base that both sides kept.
func (w *woven) align(base, a, b []part) (all []part) {
	inA, inB := match(base, a), match(base, b)
	var from, fromA, fromB int
	for i := range len(base) + 1 {
		toA, toB := len(a), len(b)
		if i < len(base) {
			if toA, toB = inA[i], inB[i]; toA < 0 || toB < 0 {
				continue
			}
		}
		sideA, sideB := a[fromA:toA], b[fromB:toB]
		removesA, removesB := slices.Contains(inA[from:i], -1), slices.Contains(inB[from:i], -1)
		changedA, changedB := removesA || len(sideA) > i-from, removesB || len(sideB) > i-from
		if changedA && changedB && !slices.EqualFunc(sideA, sideB, sameText) {
			w.removedA = w.removedA || removesA
			w.clash = w.clash || removesA && removesB || len(base) == 0
		}
		for k := from; k < i; k++ {
			if inA[k] >= 0 {
				a[inA[k]].class = removed
			}
			if inB[k] >= 0 {
				b[inB[k]].class = removed
			}
		}
		all = append(all, union(sideA, sideB)...)
		if i < len(base) {
			all = append(all, part{base[i].Segment, ofBoth})
		}
		from, fromA, fromB = i+1, toA+1, toB+1
	}
	return all
}

func sameText(a, b part) bool { return a.Key == b.Key && a.Text == b.Text }

func parts(segments []memory.Segment) []part {
	all := make([]part, len(segments))
	for i, s := range segments {
		all[i] = part{s, added}
	}
	return all
}

// count returns how often the key of s is to be in the merge.
func (v versions) count(s memory.Segment) int {
	base, a, b := v[s.Key][0], v[s.Key][1], v[s.Key][2]
	n := max(min(a.n, b.n), a.n+b.n-base.n)
	for _, side := range []version{a, b} {
		if base.n > 0 && side.n > 0 && side.Text != base.Text { // what one edited stays, if the other removed it
			n = max(n, 1)
		}
	}
	if s.Field+s.Entry != "" {
		n = min(n, 1)
	}
	return n
}

// text returns the segment of a key, merged from those of the three texts.
func (v versions) text(key string, both func(base, a, b memory.Segment) memory.Segment) memory.Segment {
	switch base, a, b := v[key][0], v[key][1], v[key][2]; {
	case b.n == 0, a.Text == b.Text, a.n > 0 && b.Text == base.Text:
		return a.Segment
	case a.n == 0, a.Text == base.Text:
		return b.Segment
	default:
		return both(base.Segment, a.Segment, b.Segment)
	}
}

// union returns what either has, once what both have in the same order.
func union(a, b []part) []part {
	if slices.CompareFunc(a, b, func(x, y part) int { return strings.Compare(x.Key, y.Key) }) > 0 {
		a, b = b, a
	}
	var all []part
	next := 0
	for i, j := range match(a, b) {
		p := a[i]
		if j >= 0 {
			all = append(all, b[next:j]...)
			next = j + 1
			p.class = ofBoth
		}
		all = append(all, p)
	}
	return append(all, b[next:]...)
}

// match returns for each part of a the one of b that is the same, or -1. Matches do not cross.
func match(a, b []part) []int {
	in := make([]int, len(a))
	i, j := 0, 0
	end := lcs.Diff{Start: len(a), End: len(a), ReplStart: len(b), ReplEnd: len(b)}
	for _, d := range append(lcs.DiffLines(keys(a), keys(b)), end) {
		for ; i < d.Start; i, j = i+1, j+1 {
			in[i] = j
		}
		for ; i < d.End; i++ {
			in[i] = -1
		}
		j = d.ReplEnd
	}
	return in
}

func keys(parts []part) []string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = p.Key
	}
	return keys
}

// Lines applies to ours the changes, by whole lines, that lead from base to theirs. It reports false where ours changed
// the same lines. Lines that ours has put beside the changed ones are not in the way: each new entry of an index comes
// beside the one before.
func Lines(base, ours, theirs []byte) ([]byte, bool) {
	w := weave(memory.LineSegments(string(base)), memory.LineSegments(string(ours)), memory.LineSegments(string(theirs)), nil)
	if w.removedA {
		return nil, false
	}
	return []byte(join(w.segments)), true
}
