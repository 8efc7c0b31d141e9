package dfa

import (
	"strings"
	"unicode/utf8"
)

// A look into the table takes some five cycles and waits for the one before, while the processor could
// begin one in each. So four parts of a text are run through in turn, a byte of each: three times as fast
// as one (BenchmarkLanes).

// lanes is how many parts of a text are run through at once.
const lanes = 4

// spare is one more place for a state that must outlive a flush.
const spare = lanes

// stretch is how many bytes lanes go on before somebody looks where they have come to.
const stretch = 16

// minParts is the size from which on a text is cut into parts.
const minParts = 512

// A text is read as one or the other.
type text interface{ string | []byte }

// match returns the state behind a whole text, whose bytes are of such classes: matched; dead, where it is
// not known or can't match; or another, where it does not.
func match[T text](m *machine, text T, classes *[256]uint8) uint16 {
	m.seen += len(text)
	met := func(int, int) int { return stop }
	var from, to [lanes]int
	for lane := range lanes { // of those that are not used none must stand where the last text ended
		m.at[lane] = m.row(begin)
	}
	to[0] = len(text)
	last := 0
	if len(text) >= minParts && !m.anchored {
		last = lanes - 1
		for lane := 1; lane < lanes; lane++ {
			at := cut(text, max(from[lane-1], lane*(len(text)/lanes)))
			from[lane], to[lane], to[lane-1] = at, len(text), at
			m.at[lane] = m.fresh(text[at-1])
		}
	}
	if !pass(m, text, classes, from, to, met) {
		return m.met()
	}
	for lane := 1; lane <= last; lane++ {
		if !seam(m, lane, text, classes, from[lane], to[lane]) {
			return m.at[lane-1]
		}
	}
	m.step(last, 0, m.end)
	return m.at[last]
}

// longestEscape is the size of an escape that stands for one rune.
const longestEscape = len(`\u0000`)

// cut is the first place, from one on, where a text may be cut: before a byte that begins a rune, and
// behind one that stands for itself, quoted or not: no backslash is near.
func cut[T text](text T, at int) int {
	backslash := at - longestEscape - 1
	for i := backslash + 1; i < len(text); i++ {
		if i >= at && i-backslash > longestEscape && utf8.RuneStart(text[i]) {
			return i
		}
		if text[i] == '\\' {
			backslash = i
		}
	}
	return len(text)
}

// fresh is the state of a program that begins behind a byte amid a text.
func (m *machine) fresh(behind byte) uint16 {
	k := other
	if behind < utf8.RuneSelf {
		k = m.kinds[m.ascii[behind]]
	}
	return m.intern(m.idle(k))
}

// seam makes good that a part was begun as if nothing had been open: it takes the lane before it on, into
// that part, until both are in one state, so that all that follows was right, or to its end. It reports
// whether it could, and did not meet a match before: one that was found already is none less for what was
// open.
func seam[T text](m *machine, lane int, text T, classes *[256]uint8, from, to int) bool {
	if from < to {
		m.at[spare] = m.fresh(text[from-1])
	}
	for ; from < to; from++ {
		if m.at[lane-1] == m.at[spare] {
			return true
		}
		c := text[from]
		m.step(spare, c, classes[c])
		if m.step(lane-1, c, classes[c]); m.special(m.at[lane-1]) {
			return false
		}
	}
	m.at[lane] = m.at[lane-1]
	return true
}

// matchEach returns the ends of the texts in which the program matches, of those that each end with Gap.
func (m *machine) matchEach(texts string) (ends []int) {
	m.seen += len(texts)
	var from, to [lanes]int
	for lane := range lanes {
		if to[lane] = len(texts); lane > 0 {
			at := max(from[lane-1], lane*(len(texts)/lanes))
			from[lane] = len(texts)
			if i := strings.Index(texts[at:], Gap); i >= 0 {
				from[lane] = at + i + len(Gap)
			}
			to[lane-1] = from[lane]
		}
		m.at[lane] = m.row(begin)
	}
	var found [lanes][]int
	pass(m, texts, &m.apart, from, to, func(lane, at int) int {
		if !m.pays() {
			return stop
		}
		end := at - len(Gap)
		if texts[end] != Gap[0] {
			i := strings.Index(texts[at:], Gap)
			if i < 0 {
				return to[lane]
			}
			end = at + i
		}
		if m.at[lane] == m.row(matched) {
			found[lane] = append(found[lane], end)
		}
		m.at[lane] = m.row(begin)
		return end + len(Gap)
	})
	for _, f := range found {
		ends = append(ends, f...)
	}
	return ends
}

// stop is what ends a pass before its end.
const stop = -1

// pass takes each lane over its part of a text. Where one has come to a state that no way leads out of,
// met is told behind which byte, and returns where the lane goes on, or stop. It reports whether all have
// come to the end.
func pass[T text](m *machine, text T, classes *[256]uint8, from, to [lanes]int, met func(lane, at int) int) bool {
	on := func(lane int) bool {
		from[lane] = walk(m, lane, text[:min(from[lane]+stretch, to[lane])], from[lane], classes, met)
		return from[lane] != stop
	}
	for together(m, text, classes, &from, &to) {
		for lane := range lanes {
			if !on(lane) {
				return false
			}
		}
	}
	for lane := range lanes {
		for from[lane] < to[lane] {
			from[lane] += alone(m, lane, text[from[lane]:to[lane]], classes)
			if !on(lane) {
				return false
			}
		}
	}
	return true
}

// walk takes one lane on to the end of a text, byte by byte, or to where met has it go on.
func walk[T text](m *machine, lane int, text T, at int, classes *[256]uint8, met func(lane, at int) int) int {
	for at < len(text) {
		c := text[at]
		m.step(lane, c, classes[c])
		at++
		if m.special(m.at[lane]) {
			return met(lane, at)
		}
	}
	return at
}

// alone takes one lane on, in stretches, and returns how far: to a stretch that leads to a state that is
// not made yet or that no way leads out of, or that is none any more.
func alone[T text](m *machine, lane int, text T, classes *[256]uint8) (n int) {
	table, s, last := m.table, m.at[lane], m.row(dead)
	for len(text)-n >= stretch {
		next := s
		t := text[n : n+stretch]
		for i := range stretch {
			next = table[next+uint16(classes[t[i]])]
		}
		if next <= last {
			break
		}
		s, n = next, n+stretch
	}
	m.at[lane] = s
	return n
}

// together takes all lanes on, in stretches. It reports whether it stopped since one of them came to a
// state that is not made yet or that no way leads out of; else one of them has no stretch left.
func together[T text](m *machine, text T, classes *[256]uint8, from, to *[lanes]int) (met bool) {
	table, last := m.table, m.row(dead)
	n := to[0] - from[0]
	for lane := range lanes {
		n = min(n, to[lane]-from[lane])
	}
	a, b, c, d := text[from[0]:from[0]+n], text[from[1]:from[1]+n], text[from[2]:from[2]+n], text[from[3]:from[3]+n]
	r, s, t, u := m.at[0], m.at[1], m.at[2], m.at[3]
	done := 0
	for ; len(a) >= stretch && len(b) >= stretch && len(c) >= stretch && len(d) >= stretch; done += stretch {
		p, q, v, w := r, s, t, u
		for i := range stretch {
			p = table[p+uint16(classes[a[i]])]
			q = table[q+uint16(classes[b[i]])]
			v = table[v+uint16(classes[c[i]])]
			w = table[w+uint16(classes[d[i]])]
		}
		if min(p, q, v, w) <= last {
			met = true
			break
		}
		r, s, t, u = p, q, v, w
		a, b, c, d = a[stretch:], b[stretch:], c[stretch:], d[stretch:]
	}
	m.at[0], m.at[1], m.at[2], m.at[3] = r, s, t, u
	for lane := range lanes {
		from[lane] += done
	}
	return met
}

// met is the state that ended a pass: a match, where one was met.
func (m *machine) met() uint16 {
	for _, s := range m.at[:lanes] {
		if s == m.row(matched) {
			return s
		}
	}
	return m.row(dead)
}
