package transcript

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
)

// Kernels find short texts in blocks of transcripts. bytes.Index falls from 30 to 2 GB/s where the
// first byte of what it seeks is common, as most letters are in a transcript. So a needle is sought by
// its rarest byte, at the speed of bytes.IndexByte; where that is not rare, by its two rarest, in eight
// places at once, at 5 to 9 GB/s whatever they are (BenchmarkNeedle).

// common are the bytes of transcripts, the most common first; a byte that is not here is rare.
const common = ` etaonirsldcu-phm0fg1b2y3vw54,6:978._kxjqz`

// rareRank is the rank of a byte that is rare wherever it is sought. Of others the text itself tells.
const rareRank = 38

// rareGap is how far apart a byte stands, in bytes, where to look at each takes no longer than to look for
// pairs.
const rareGap = 75

// rareness orders bytes by how rare they are in a transcript. The first byte of a character beyond ASCII
// is the same for a whole script; quotes and backslashes are everywhere.
func rareness(c byte) int {
	switch {
	case c == '"' || c == '\\':
		return 0
	case c >= 0xc4:
		return rareRank - 1
	}
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// A kernel returns the first place in a block of what it looks for, or -1.
type kernel func(block []byte) int

// kernels returns those of which one finds something in every line that may hold the needle.
func (n *needle) kernels() []kernel { return append(n.plain(), n.aliens()...) }

// plain returns those of which one finds the needle as it is spelt.
func (n *needle) plain() []kernel {
	c := n.text[n.first]
	switch rare := rareness(c) >= rareRank; {
	case !n.fold || upper(c) == c:
		return []kernel{n.rarest(c, n.pair())}
	case rare:
		return []kernel{n.rarest(c, nil), n.rarest(upper(c), nil)}
	}
	return []kernel{n.pair()}
}

// aliens returns those that find what may stand for a letter of the needle.
func (n *needle) aliens() (all []kernel) {
	if n.alien {
		for _, alien := range []string{"ſ", "\u212a"} {
			all = append(all, exactly(alien).plain()...)
		}
	}
	return all
}

// at reports whether the needle stands at the head of a text that is no shorter.
func (n *needle) at(text []byte) bool {
	if !n.fold {
		return string(text[:len(n.text)]) == string(n.text)
	}
	for i, c := range n.text {
		if text[i] != c && text[i] != upper(c) {
			return false
		}
	}
	return true
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// rarest looks for the needle where one byte stands that is its rarest, and as another kernel does, if
// there is one, where that proves common: an image in a transcript has every letter.
func (n *needle) rarest(c byte, otherwise kernel) kernel {
	const (
		looks   = 32      // after so many it is judged how far apart they were
		stretch = 4 << 10 // and where they were too near, the other kernel looks through so many bytes
	)
	d, either := n.text[n.second], byte(0)
	if n.fold && upper(d) != d {
		either = 0x20
	}
	return func(b []byte) int {
		places, begun, looked := len(b)-len(n.text)+1, 0, 0
		for start := 0; start < places; start++ {
			i := bytes.IndexByte(b[start+n.first:places+n.first], c)
			if i < 0 {
				return -1
			}
			if start += i; b[start+n.second]|either == d && n.at(b[start:]) {
				return start
			}
			if looked++; looked < looks || otherwise == nil {
				continue
			}
			if start-begun < looks*rareGap {
				next := start + 1
				if i := otherwise(b[next:min(next+stretch+len(n.text)-1, len(b))]); i >= 0 {
					return next + i
				}
				start += stretch
			}
			begun, looked = start, 0
		}
		return -1
	}
}

// pair looks for the needle where its two rarest bytes stand.
func (n *needle) pair() kernel {
	c, d := n.text[n.first], n.text[n.second]
	p := pairOf{wantC: uint64(c) * ones, wantD: uint64(d) * ones}
	if n.fold && upper(c) != c {
		p.setC = 0x20 * ones
	}
	if n.fold && upper(d) != d {
		p.setD = 0x20 * ones
	}
	return func(b []byte) int {
		places := len(b) - len(n.text) + 1 // where it may stand
		if places <= 0 {
			return -1
		}
		firsts, seconds := b[n.first:n.first+places], b[n.second:n.second+places]
		i := 0
		for i+8 <= places {
			i += p.skip(firsts[i:], seconds[i:])
			for end := min(i+64, places-7); i < end; i += 8 {
				for marked := p.in(firsts[i:], seconds[i:]); marked != 0; marked &= marked - 1 {
					if at := i + bits.TrailingZeros64(marked)>>3; n.at(b[at:]) {
						return at
					}
				}
			}
		}
		for ; i < places; i++ {
			if n.at(b[i:]) {
				return i
			}
		}
		return -1
	}
}

// Eight bytes at once: each of these holds one byte eight times.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// A pairOf is two bytes that are sought in two texts, each in each byte of a word. The bits that are
// set are taken for set in the text, so that a letter of ASCII is found in either case.
type pairOf struct{ wantC, wantD, setC, setD uint64 }

// in marks the highest bit of each of eight places where both bytes stand. It may mark others above one
// of those.
func (p *pairOf) in(firsts, seconds []byte) uint64 {
	v := ((binary.LittleEndian.Uint64(firsts) | p.setC) ^ p.wantC) | ((binary.LittleEndian.Uint64(seconds) | p.setD) ^ p.wantD)
	return (v - ones) &^ v & highs
}

// skip returns how many places in two texts of one length come before the 64 that hold the first pair,
// or before the last that are no 64. Eight words at once, with one look at what they have in common,
// are a third faster than four.
func (p *pairOf) skip(firsts, seconds []byte) int {
	wantC, wantD, setC, setD := p.wantC, p.wantD, p.setC, p.setD
	places := len(firsts)
	for len(firsts) >= 64 && len(seconds) >= 64 {
		f, s := (*[64]byte)(firsts), (*[64]byte)(seconds)
		none := uint64(highs) // the highest bit of a byte stays set while no word is zero there
		v := ((binary.LittleEndian.Uint64(f[0:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[0:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[8:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[8:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[16:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[16:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[24:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[24:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[32:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[32:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[40:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[40:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[48:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[48:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		v = ((binary.LittleEndian.Uint64(f[56:]) | setC) ^ wantC) | ((binary.LittleEndian.Uint64(s[56:]) | setD) ^ wantD)
		none &= (ones - 1 - v) | v
		if none != highs {
			break
		}
		firsts, seconds = firsts[64:], seconds[64:]
	}
	return places - len(firsts)
}

// A sieve lets lines of a transcript pass in which one of its kernels finds something.
type sieve struct {
	kernels []kernel // the last finds parts of the model's messages, and is asked while joining
	joining bool
	sought  bool  // the line that passed did so for another kernel than the last
	fill    int   // which block was looked at
	next    []int // of each kernel, in that block: the first place of what it finds, from the last line looked at on

	watch []watch   // whose kernels are the first, and find what makes a transcript other than plain
	tells plainness // what is not found so far
	whole bool      // each line is known to have the ends of an object
}

// A watch looks for what a transcript that is plain in one way is without.
type watch struct {
	finds   kernel
	without plainness
}

// look has a sieve watch for something, unless it is known that it is not there.
func (s *sieve) look(finds kernel, without, known plainness) {
	if known&without != without {
		s.watch = append(s.watch, watch{finds, without})
	}
}

// first returns the first place in a block, from one on, of what one of the kernels finds; the end of the
// block where none does. Blocks are told apart by numbers above 0, and looked at from their beginning on.
func (s *sieve) first(fill int, block []byte, from int) int {
	first := len(block)
	for k := range s.next {
		if k < len(s.next)-1 || s.joining {
			first = min(first, s.find(k, fill, block, from))
		}
	}
	return first
}

// find returns the first place, from one on, of what one kernel finds.
func (s *sieve) find(k, fill int, block []byte, from int) int {
	if s.fill != fill {
		s.fill = fill
		for k := range s.next {
			s.next[k] = -1
		}
	}
	if s.next[k] < from {
		s.next[k] = math.MaxInt
		if i := s.kernels[k](block[from:]); i >= 0 {
			s.next[k] = from + i
		}
	}
	return s.next[k]
}

// holds reports whether one of the kernels finds something in a line of a block.
func (s *sieve) holds(fill int, block []byte, start, end int) bool {
	watched := false
	last := len(s.next) - 1
	for k := range s.next {
		if watched && k == len(s.watch) {
			s.sought = true
			return true
		}
		if k == last && !s.joining {
			return false
		}
		if s.find(k, fill, block, start) >= end {
			continue
		}
		if k < len(s.watch) {
			s.tells &^= s.watch[k].without
			watched = true
			continue
		}
		s.sought = k < last
		return true
	}
	return false
}
