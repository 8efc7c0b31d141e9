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

// match reports whether the program matches in a text; ok is false where it is not worth finding out.
func (m *machine) match(text string) (match, ok bool) {
	m.seen += len(text)
	met := func(int, int) int { return stop }
	var from, to [lanes]int
	m.at[0], to[0] = m.row(begin), len(text)
	last := 0
	if len(text) >= minParts && !m.anchored {
		last = lanes - 1
		for lane := 1; lane < lanes; lane++ {
			at := lane * (len(text) / lanes)
			for at < len(text) && !utf8.RuneStart(text[at]) {
				at++
			}
			from[lane], to[lane], to[lane-1] = at, len(text), at
			m.at[lane] = m.fresh(text[at-1])
		}
	}
	if !m.pass(text, &m.bytes, from, to, met) {
		return m.hasMatched(), m.pays()
	}
	for lane := 1; lane <= last; lane++ {
		if m.seam(lane, text, from[lane], to[lane]) {
			return true, true
		}
	}
	m.step(last, 0, m.end)
	return m.at[last] == m.row(matched), m.pays()
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
// that part, until both are in one state, so that all that follows was right. It reports whether there is
// a match first; one that was found already is none less for what was open.
func (m *machine) seam(lane int, text string, from, to int) (match bool) {
	if from == to {
		m.at[lane] = m.at[lane-1]
		return false
	}
	m.at[spare] = m.fresh(text[from-1])
	for ; m.at[lane-1] != m.at[spare]; from++ {
		if from == to {
			m.at[lane] = m.at[lane-1]
			return false
		}
		c := text[from]
		for _, l := range [...]int{lane - 1, spare} {
			if m.step(l, c, m.bytes[c]); m.at[l] == m.row(matched) {
				return true
			}
		}
	}
	return false
}

// matchEach returns the ends of the texts in which the program matches, of those that each end with Gap.
func (m *machine) matchEach(texts string) (ends []int, ok bool) {
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
	ok = m.pass(texts, &m.apart, from, to, func(lane, at int) int {
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
	return ends, ok
}

// stop is what ends a pass before its end.
const stop = -1

// pass takes each lane over its part of a text. Where one has come to a state that no way leads out of,
// met is told behind which byte, and returns where the lane goes on, or stop. It reports whether all have
// come to the end.
func (m *machine) pass(text string, classes *[256]uint8, from, to [lanes]int, met func(lane, at int) int) bool {
	for m.together(text, classes, &from, &to) {
		for lane := range lanes {
			if from[lane] = m.walk(lane, text[:min(from[lane]+stretch, to[lane])], from[lane], classes, met); from[lane] == stop {
				return false
			}
		}
	}
	for lane := range lanes {
		for from[lane] < to[lane] {
			from[lane] += m.alone(lane, text[from[lane]:to[lane]], classes)
			if from[lane] = m.walk(lane, text[:min(from[lane]+stretch, to[lane])], from[lane], classes, met); from[lane] == stop {
				return false
			}
		}
	}
	return true
}

// walk takes one lane on to the end of a text, byte by byte, or to where met has it go on.
func (m *machine) walk(lane int, text string, at int, classes *[256]uint8, met func(lane, at int) int) int {
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
func (m *machine) alone(lane int, text string, classes *[256]uint8) (n int) {
	table, s, last := m.table, m.at[lane], m.row(dead)
	for len(text)-n >= stretch {
		next := s
		for _, c := range []byte(text[n : n+stretch]) {
			next = table[next+uint16(classes[c])]
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
func (m *machine) together(text string, classes *[256]uint8, from, to *[lanes]int) (met bool) {
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

// hasMatched reports whether a lane has come to a match.
func (m *machine) hasMatched() bool {
	for _, s := range m.at[:lanes] {
		if s == m.row(matched) {
			return true
		}
	}
	return false
}
