package signal

import (
	"encoding/binary"
	"math/bits"
)

// Prefixes are the beginnings of phrases, of eight bytes or fewer: where none of them stands, no phrase
// begins. To ask costs a few nanoseconds, to follow the trie behind a common word hundreds.
type prefixes struct {
	lengths [1 << 13]uint8  // by the first three bytes: bit n of those of n+1 bytes
	marks   [1 << 15]uint16 // of each, at the place of its sum or behind; 0: none
}

// goesOn is the bit of a mark that says that a word may go on behind the prefix. Behind any other it must
// end there: "no" begins no phrase in "November".
const goesOn = 2

// A prefix is so many bytes, evened, the first of them lowest.
type prefix struct {
	bytes uint64
	len   int
}

// evened makes equal what a trie does: a letter and its capital, with an accent or without. Many others
// become equal too, at the price of a walk in vain.
const evened = 0x2020202020202020

// eight are the bytes at i, evened, spaces behind the end.
func eight(text string, i int) uint64 {
	if len(text)-i >= 8 {
		return (uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
			uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56) | evened
	}
	var room [8]byte
	copy(room[:], text[i:])
	return binary.LittleEndian.Uint64(room[:]) | evened
}

// with is a prefix and what follows it, cut behind eight bytes.
func (p prefix) with(text string) prefix {
	n := min(len(text), 8-p.len)
	for i := range n {
		p.bytes |= uint64(text[i]|0x20) << (8 * (p.len + i))
	}
	p.len += n
	return p
}

// sum spreads the first n bytes of eight over 64 bits.
func sum(eight uint64, n int) uint64 { return (eight<<(64-8*n) + uint64(n)) * 0x9E3779B97F4A7C15 }

// three is where the lengths stand of what begins with the first three bytes of eight.
func three(eight uint64) uint64 { return sum(eight, 3) >> (64 - 13) }

// begins reports whether a phrase may begin at i.
func (f *prefixes) begins(l *listener, i int) bool {
	b := eight(l.text, i)
	for lengths := f.lengths[three(b)]; lengths != 0; lengths &= lengths - 1 {
		n := bits.TrailingZeros8(lengths) + 1
		_, at := f.find(sum(b, n))
		if mark := f.marks[at]; mark&goesOn != 0 || mark != 0 && !l.goesOn(i+n) {
			return true
		}
	}
	return false
}

// find returns the mark of a sum, and where it stands or would.
func (f *prefixes) find(sum uint64) (mark uint16, at uint64) {
	mark = uint16(sum>>8)&^goesOn | 1
	for at = sum >> (64 - 15); f.marks[at] != 0 && f.marks[at]&^goesOn != mark; {
		at = (at + 1) % uint64(len(f.marks))
	}
	return mark, at
}

// add adds a prefix, behind which a word goes on or not: if both, it may.
func (f *prefixes) add(p prefix, behind uint16) {
	mark, at := f.find(sum(p.bytes, p.len))
	f.marks[at] |= mark | behind
	missing := 8 * max(0, 3-p.len) // bits, whatever they are
	for c := range uint64(1) << missing {
		f.lengths[three(p.bytes|(c|evened)<<(8*p.len))] |= 1 << (p.len - 1)
	}
}

// prefixes are those of the phrases of some kinds.
func (t *trie) prefixes(kinds Set) *prefixes {
	f := &prefixes{}
	type place struct {
		at int32
		prefix
	}
	seen := map[place]bool{} // behind jumps: nowhere else do two ways lead to one node
	var gather func(at int32, p prefix)
	behind := func(to int32, p prefix) {
		if at := (place{to, p}); !seen[at] {
			seen[at] = true
			gather(to, p)
		}
	}
	gather = func(at int32, p prefix) {
		n := &t.nodes[at]
		switch {
		case n.kinds&kinds == 0:
			return
		case p.len == 8:
			f.add(p, goesOn)
			return
		}
		m := t.more[n.more]
		for _, r := range m.rules {
			if r.kinds&kinds != 0 {
				f.add(p, 0)
			}
		}
		for _, j := range m.jumps {
			switch {
			case j.kinds&kinds == 0:
			case j.op == then:
				behind(j.to, p)
			case j.op == oneOf:
				for word := range j.words {
					behind(j.to, p.with(word))
				}
			case j.op == stem:
				f.add(p, goesOn)
			default:
				f.add(p, 0)
			}
		}
		for next := n.first; next < n.first+int32(n.count); next++ {
			gather(next, p.with(string(t.keys[next:next+1])))
			if t.keys[next] == '\'' {
				gather(next, p.with("’"))
			}
		}
	}
	gather(0, prefix{})
	return f
}
