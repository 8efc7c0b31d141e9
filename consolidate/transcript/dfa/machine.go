package dfa

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// The bounds of a machine. Its memory is twice maxTable, and maxKeys, and a map of at most 4,096 states.
const (
	maxTable = 1 << 16 // ways from a state by a class of bytes: what 16 bits can name
	maxKeys  = 1 << 19 // bytes
)

// How often a machine may forget all states before it gives up: some times, and once for so many bytes that
// it was given. To make them all again takes some 10 ms, as long as regexp takes for half a megabyte.
const (
	freeFlushes   = 4
	bytesForFlush = 1 << 20
)

// limits are maxTable and maxKeys, or what a test sets.
type limits struct{ table, keys int }

// A machine runs a program over texts, one thread at a time. Its states are rows of the table: where the
// row of one begins is its name.
//
// A state is where the program stands before the rune that comes next, before it goes on without reading:
// what assertions say depends on that rune, so only then is it known whether it matches. So a match shows
// one rune late, at the latest by the end of the text.
type machine struct {
	*program
	limits
	table *[maxTable]uint16 // by state and class of byte; unknown where nobody has gone yet
	keys  []string          // of the states, by their order
	named map[string]uint16
	size  int               // bytes of keys
	at    [lanes + 1]uint16 // the states of the lanes, and spare

	seen, forgot int // bytes of texts; how often all states were forgotten

	// The state that is being made.
	before  kind     // what stands before it
	kernel  []uint64 // a bit for each instruction that it stands at
	next    []uint64
	reached []uint32 // by instruction: when it was last reached
	now     uint32
	todo    []uint32
	key     []byte
	alike   map[prefix]string // see representative
}

// The states that are in each machine, by their order. No way leads out of the first three, so that it is
// enough to look for them now and then.
const (
	unknown = iota // a way that nobody has gone yet
	matched
	dead  // it can't match any more, or nobody can tell
	begin // of a text
	fixed // how many those are
)

// A key is what a state is: the kind of what stands before, the bytes of a rune that is not whole yet, and
// the kernel.
const (
	keyPrefix = 1
	keyKernel = keyPrefix + utf8.UTFMax - 1
)

func newMachine(p *program, l limits) *machine {
	words := (len(p.Inst) + 63) / 64
	m := &machine{
		program: p, limits: l, table: new([maxTable]uint16), named: map[string]uint16{},
		kernel: make([]uint64, words), next: make([]uint64, words), reached: make([]uint32, len(p.Inst)),
		key: make([]byte, keyKernel+8*words), alike: map[prefix]string{},
	}
	m.fix()
	return m
}

// fix adds the states that are always there.
func (m *machine) fix() {
	for s := uint16(unknown); s <= dead; s++ {
		m.keys = append(m.keys, "")
		for class := range m.stride {
			m.table[m.row(int(s))+uint16(class)] = m.row(int(s))
		}
	}
	m.intern(m.idle(edge))
}

// row names a state by its order.
func (m *machine) row(n int) uint16 { return uint16(n * m.stride) }

// special reports whether a state is one that no way leads out of.
func (m *machine) special(s uint16) bool { return s <= m.row(dead) }

// idle is the key of the state in which the program stands at its start alone, behind something.
func (m *machine) idle(before kind) []byte {
	clear(m.key)
	m.key[0] = byte(m.noticed(before))
	return m.key
}

// noticed is what a kind is to the assertions that look back: one kind for all that they can't tell apart.
func (m *machine) noticed(before kind) kind {
	if before == edge && m.looks&(syntax.EmptyBeginText|syntax.EmptyBeginLine) == 0 ||
		before == newline && m.looks&syntax.EmptyBeginLine == 0 {
		return other
	}
	return before
}

// step takes a lane on by a byte, or by the end of its text, of such a class.
func (m *machine) step(lane int, c, class uint8) {
	to := m.table[m.at[lane]+uint16(class)]
	if to == m.row(unknown) {
		switch key, match := m.follow(m.keys[int(m.at[lane])/m.stride], c, class); {
		case match:
			to = m.row(matched)
		case key == nil:
			to = m.row(dead)
		default:
			to = m.intern(key)
		}
		m.table[m.at[lane]+uint16(class)] = to
	}
	m.at[lane] = to
}

// intern names the state of a key. Where there is no room for it, all others but those of the lanes are
// forgotten, and these have other names.
func (m *machine) intern(key []byte) uint16 {
	s, known := m.named[string(key)]
	if known {
		return s
	}
	if len(m.keys) > fixed+lanes && ((len(m.keys)+1)*m.stride > m.limits.table || m.size+len(key) > m.limits.keys) {
		key = bytes.Clone(key) // which may lie where the next is made
		if m.forget(); !m.pays() {
			return m.row(dead)
		}
		return m.intern(key)
	}
	s = m.row(len(m.keys))
	m.keys = append(m.keys, string(key))
	m.named[m.keys[len(m.keys)-1]] = s
	m.size += len(key)
	return s
}

// forget empties the table but for the states of the lanes.
func (m *machine) forget() {
	m.forgot++
	var kept [len(m.at)]string
	for lane, s := range m.at {
		kept[lane] = m.keys[int(s)/m.stride]
	}
	clear(m.table[:len(m.keys)*m.stride])
	clear(m.named)
	m.keys, m.size = m.keys[:0], 0
	special := m.at
	m.fix()
	for lane, key := range kept {
		if key == "" {
			m.at[lane] = special[lane]
			continue
		}
		m.at[lane] = m.intern([]byte(key))
	}
}

// pays reports whether states are not forgotten so often that regexp would be faster.
func (m *machine) pays() bool {
	return m.forgot <= freeFlushes+m.seen/bytesForFlush
}

// follow returns the key of the state behind another's and a byte, or the end of the text. It reports
// that the program matches before that; the key is nil where it can't match any more, or nobody can tell.
func (m *machine) follow(from string, c, class uint8) (key []byte, match bool) {
	m.before = kind(from[0])
	for i := range m.kernel {
		m.kernel[i] = binary.LittleEndian.Uint64([]byte(from[keyKernel+8*i:]))
	}
	open := strings.TrimRight(from[keyPrefix:keyKernel], "\x00")
	rest, cutOff := []byte(open), class == m.end || class == m.escape
	switch {
	case open == `\`:
		if c = unescape(c); c == 0 {
			return nil, false
		}
		rest[0], class = c, m.bytes[c]
	case !cutOff:
		rest = append(rest, c)
	}
	for len(rest) > 0 && (cutOff || utf8.FullRune(rest)) {
		r, size := utf8.DecodeRune(rest)
		if m.read(m.class(r)) {
			return nil, true
		}
		rest = rest[size:]
	}
	if class == m.end {
		if m.close(edge) {
			return nil, true
		}
		return []byte(m.keys[begin]), false // what comes then is another text
	}
	if class == m.escape {
		rest = []byte{'\\'}
	}
	m.key = append(m.key[:0], byte(m.before), 0, 0, 0)
	copy(m.key[keyPrefix:], m.representative(rest))
	live := uint64(0)
	for _, w := range m.kernel {
		m.key = binary.LittleEndian.AppendUint64(m.key, w)
		live |= w
	}
	if live == 0 && m.anchored && m.before != edge {
		return nil, false
	}
	return m.key, false
}

// read takes the kernel on by a rune, unless the program matches before it.
func (m *machine) read(class uint16) (match bool) {
	clear(m.next)
	if m.close(m.kinds[class]) {
		return true
	}
	accepts := m.accepts[class]
	for _, pc := range m.todo {
		in := &m.Inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if accepts[m.sets[pc]] {
				m.next[in.Out/64] |= 1 << (in.Out % 64)
			}
		}
	}
	m.kernel, m.next = m.next, m.kernel
	m.before = m.noticed(m.kinds[class])
	return false
}

// close lists in todo what the program reaches from the kernel, and from its start, without reading; it
// stops where that is a match. A match may begin anywhere, and which is the best does not matter, so what
// captures and what is greedy makes no difference.
func (m *machine) close(next kind) (match bool) {
	holds := syntax.EmptyOpContext(like[m.before], like[next])
	m.now++
	m.todo = m.todo[:0]
	m.reach(uint32(m.Start))
	for i, w := range m.kernel {
		for ; w != 0; w &= w - 1 {
			m.reach(uint32(64*i + bits.TrailingZeros64(w)))
		}
	}
	for i := 0; i < len(m.todo); i++ {
		in := &m.Inst[m.todo[i]]
		switch in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			m.reach(in.Out)
			m.reach(in.Arg)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				m.reach(in.Out)
			}
		case syntax.InstNop, syntax.InstCapture:
			m.reach(in.Out)
		}
	}
	return false
}

func (m *machine) reach(pc uint32) {
	if m.reached[pc] != m.now {
		m.reached[pc] = m.now
		m.todo = append(m.todo, pc)
	}
}

// A prefix is what the bytes at the head of a rune come to, where all runes that begin so are of one class
// and any byte that goes on leads to one.
type prefix struct {
	class      uint16
	have, want int
}

// representative returns bytes that come to the same as those at the head of a rune: without it, each of
// the thousands that Chinese words are made of would be a state.
func (m *machine) representative(head []byte) string {
	if len(head) == 0 || head[0] == '\\' {
		return string(head)
	}
	want := 2
	if head[0] >= 0xf0 {
		want = 4
	} else if head[0] >= 0xe0 {
		want = 3
	}
	if len(head) == 1 && (head[0] == 0xe0 || head[0] == 0xed || head[0] == 0xf0 || head[0] == 0xf4) {
		return string(head) // not every second byte goes on
	}
	var lowest, highest [utf8.UTFMax]byte
	for i := range want {
		lowest[i], highest[i] = 0x80, 0xbf
	}
	copy(lowest[:], head)
	copy(highest[:], head)
	low, _ := utf8.DecodeRune(lowest[:want])
	high, _ := utf8.DecodeRune(highest[:want])
	if m.span(low) != m.span(high) {
		return string(head)
	}
	p := prefix{m.class(low), len(head), want}
	same, known := m.alike[p]
	if !known {
		same = string(head)
		m.alike[p] = same
	}
	return same
}
