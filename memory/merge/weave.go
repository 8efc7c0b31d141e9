package merge

import (
	"slices"
	"strings"

	"dream-mcp/memory"
)

// maxTable bounds the table of a comparison, in cells of 4 bytes. Of longer texts only what they begin and end with in common is
// compared, and the rest is merged line by line without regard to its order.
const maxTable = 4 << 20

// woven is what the changes of two texts make of a third.
type woven struct {
	segments []memory.Segment
	clash    bool // both changed or removed the same segments, and differently
	removedA bool // both changed something in one place, where a removed segments of base
}

// weave applies the changes that lead from base to a and from base to b, both, whatever they are. A segment of base stays where
// both keep it, or one has changed its text. What either adds is added where it was, once where both add it. The result does
// not depend on which of the two is a. Of a key that is in neither more often than in base, the result has not more either: what was
// moved by one and removed by the other is removed. both joins two texts of one key.
func weave(base, a, b []memory.Segment, both func(base, a, b memory.Segment) memory.Segment) woven {
	w := weaver{base: base, a: a, b: b, inA: match(base, a), inB: match(base, b)}
	w.count()
	text := func(s memory.Segment) memory.Segment {
		sb, sa, so := w.first[0][s.Key], w.first[1][s.Key], w.first[2][s.Key]
		switch {
		case sa.Text == so.Text, so.Text == sb.Text, so.Text == "":
			if sa.Text != "" {
				return sa
			}
			return so
		case sa.Text == sb.Text, sa.Text == "":
			return so
		}
		return both(sb, sa, so)
	}
	present := w.present()
	addA, addB := added(len(base), a, w.inA), added(len(base), b, w.inB)
	var out woven
	var kept []bool // of out: from base
	add := func(s memory.Segment, fromBase bool) {
		out.segments, kept = append(out.segments, text(s)), append(kept, fromBase)
	}
	for i := 0; i <= len(base); i++ {
		for _, s := range union(addA[i], addB[i]) {
			add(s, false)
		}
		if i < len(base) && present[i] {
			add(base[i], true)
		}
	}
	out.segments = w.limit(out.segments, kept)
	out.clash, out.removedA = w.clashes(addA, addB)
	return out
}

type weaver struct {
	base, a, b []memory.Segment
	inA, inB   []int // where a segment of base is in a and b, or -1
	n          [3]map[string]int
	first      [3]map[string]memory.Segment
}

func (w *weaver) count() {
	for i, segments := range [][]memory.Segment{w.base, w.a, w.b} {
		w.n[i], w.first[i] = make(map[string]int), make(map[string]memory.Segment)
		for _, s := range segments {
			if w.n[i][s.Key]++; w.n[i][s.Key] == 1 {
				w.first[i][s.Key] = s
			}
		}
	}
}

// edited reports whether side i says something else under a key than base.
func (w *weaver) edited(i int, key string) bool {
	return w.n[0][key] > 0 && w.n[i][key] > 0 && w.first[i][key].Text != w.first[0][key].Text
}

// present says which segments of base stay.
func (w *weaver) present() []bool {
	present := make([]bool, len(w.base))
	stays := make(map[string]bool)
	for i, s := range w.base {
		hasA, hasB := w.inA[i] >= 0, w.inB[i] >= 0
		present[i] = hasA && hasB || hasA && w.edited(1, s.Key) || hasB && w.edited(2, s.Key)
		stays[s.Key] = stays[s.Key] || present[i]
	}
	for _, side := range [][]memory.Segment{w.unmatched(w.a, w.inA), w.unmatched(w.b, w.inB)} {
		for _, s := range side {
			stays[s.Key] = true
		}
	}
	for i, s := range w.base { // each removed another of several that are alike
		if !stays[s.Key] && w.n[1][s.Key] > 0 && w.n[2][s.Key] > 0 {
			present[i], stays[s.Key] = true, true
		}
	}
	return present
}

func (w *weaver) unmatched(side []memory.Segment, in []int) (rest []memory.Segment) {
	for _, group := range added(len(w.base), side, in) {
		rest = append(rest, group...)
	}
	return rest
}

// limit drops what moves have doubled or brought back, the last that was added first.
func (w *weaver) limit(segments []memory.Segment, kept []bool) []memory.Segment {
	have := make(map[string]int)
	for _, s := range segments {
		have[s.Key]++
	}
	drop := make([]bool, len(segments))
	for _, fromBase := range []bool{false, true} {
		for i, s := range slices.Backward(segments) {
			base, a, b := w.n[0][s.Key], w.n[1][s.Key], w.n[2][s.Key]
			most := max(min(a, b), a+b-base)
			if w.edited(1, s.Key) || w.edited(2, s.Key) {
				most = max(most, 1)
			}
			if s.Field() != "" || s.Entry() != "" {
				most = min(most, 1)
			}
			if kept[i] == fromBase && strings.TrimSpace(s.Key) != "" && have[s.Key] > most {
				have[s.Key]--
				drop[i] = true
			}
		}
	}
	var rest []memory.Segment
	for i, s := range segments {
		if !drop[i] {
			rest = append(rest, s)
		}
	}
	return rest
}

// clashes looks at each run of segments that not both keep, with what was added there.
func (w *weaver) clashes(addA, addB [][]memory.Segment) (clash, removedA bool) {
	for i := 0; i <= len(w.base); {
		end := i
		for end < len(w.base) && (w.inA[end] < 0 || w.inB[end] < 0) {
			end++
		}
		a, b := side(w.base[i:end], w.inA[i:end], addA[i:end+1]), side(w.base[i:end], w.inB[i:end], addB[i:end+1])
		if a.changed && b.changed && !slices.Equal(a.segments, b.segments) {
			removedA = removedA || a.removed
			clash = clash || a.removed && b.removed || len(w.base) == 0
		}
		i = end + 1
	}
	return clash, removedA
}

type chunk struct {
	segments         []memory.Segment
	changed, removed bool
}

func side(base []memory.Segment, in []int, added [][]memory.Segment) (c chunk) {
	for i, group := range added {
		c.segments = append(c.segments, group...)
		c.changed = c.changed || len(group) > 0
		if i < len(base) && in[i] >= 0 {
			c.segments = append(c.segments, base[i])
		} else if i < len(base) {
			c.changed, c.removed = true, true
		}
	}
	return c
}

// added returns what a side has that base has not, by the segment of base that it comes before.
func added(n int, side []memory.Segment, in []int) [][]memory.Segment {
	groups := make([][]memory.Segment, n+1)
	at := make([]int, len(side)) // the group after the segment of base that is there
	for i, j := range in {
		if j >= 0 {
			at[j] = i + 1
		}
	}
	group := 0
	for j, s := range side {
		if at[j] > 0 {
			group = at[j]
		} else {
			groups[group] = append(groups[group], s)
		}
	}
	return groups
}

// union returns what either has, once what both have in the same order.
func union(a, b []memory.Segment) []memory.Segment {
	if slices.CompareFunc(a, b, func(x, y memory.Segment) int { return strings.Compare(x.Key, y.Key) }) > 0 {
		a, b = b, a
	}
	var all []memory.Segment
	next := 0
	for i, j := range match(a, b) {
		if j >= 0 {
			all = append(all, b[next:j]...)
			next = j + 1
		}
		all = append(all, a[i])
	}
	return append(all, b[next:]...)
}

// match returns for each segment of a the one of b that it is in a longest common subsequence, by key, or -1.
func match(a, b []memory.Segment) []int {
	in := make([]int, len(a))
	for i := range in {
		in[i] = -1
	}
	from := 0
	for from < min(len(a), len(b)) && a[from].Key == b[from].Key {
		in[from] = from
		from++
	}
	toA, toB := len(a), len(b)
	for toA > from && toB > from && a[toA-1].Key == b[toB-1].Key {
		toA, toB = toA-1, toB-1
		in[toA] = toB
	}
	n, m := toA-from, toB-from
	if n == 0 || m == 0 || n > maxTable/m {
		return in
	}
	// length[i*(m+1)+j] is that of the longest common subsequence of what begins at i and j.
	length := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &length[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[from+i].Key == b[from+j].Key {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case *at(i+1, j) == *at(i, j):
			i++
		case a[from+i].Key == b[from+j].Key:
			in[from+i] = from + j
			i, j = i+1, j+1
		default:
			j++
		}
	}
	return in
}

// Lines applies to ours the changes, by whole lines, that lead from base to theirs. It reports false where ours changed the same lines.
// Lines that ours has put beside the changed ones are not obstacle: each new entry of an index comes beside the one before.
func Lines(base, ours, theirs []byte) ([]byte, bool) {
	w := weave(lines(base), lines(ours), lines(theirs), first)
	if w.removedA {
		return nil, false
	}
	return []byte(join(w.segments)), true
}

func lines(text []byte) (segments []memory.Segment) {
	for line := range strings.Lines(string(text)) {
		segments = append(segments, memory.Segment{Key: line, Text: line})
	}
	return segments
}
