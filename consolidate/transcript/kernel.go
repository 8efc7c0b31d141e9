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
// its rarest byte, at the speed of bytes.IndexByte; where that is not rare, by two that are rare together,
// in eight places at once, at 5 to 10 GB/s whatever they are (BenchmarkNeedle).

// common are the bytes of transcripts, the most common first; a byte that is not here is rare.
const common = ` etaonirsldcu-phm0fg1b2y3vw54,6:978._kxjqz`

// rareRank is the rank of a byte that is rare in what is said, wherever it is sought. Of a transcript, which has
// images, the text itself tells.
const rareRank = 38

// rareGap is how far apart a byte stands, in bytes, where to look at each takes no longer than to look for
// pairs.
const rareGap = 160

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
func (n *needle) kernels() []kernel { return append([]kernel{n.plain()}, n.aliens()...) }

// plain finds the needle as it is spelt.
func (n *needle) plain() kernel {
	if c := n.text[n.first]; !n.fold || upper(c) == c {
		return n.rarest()
	}
	return n.pair()
}

// aliens returns those that find what may stand for a letter of the needle.
func (n *needle) aliens() (all []kernel) {
	if n.alien {
		for _, alien := range []string{"ſ", "\u212a"} {
			all = append(all, exactly(alien).plain())
		}
	}
	return all
}

// at reports whether the needle stands at the head of a text that is no shorter.
func (n *needle) at(text []byte) bool {
	switch {
	case n.fold:
		for i, c := range n.text {
			if text[i] != c && text[i] != upper(c) {
				return false
			}
		}
	case string(text[:len(n.text)]) != string(n.text):
		return false
	}
	return n.meant == nil || n.meant(text[len(n.text):])
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// rarest looks for the needle where its rarest byte stands, and as pair does where that proves common: an image
// in a transcript has every letter.
func (n *needle) rarest() kernel {
	const (
		credit  = 2 * rareGap // so many bytes may its places be nearer to each other, in sum, than it pays,
		stretch = 2 << 10     // before the other kernel looks through so many
	)
	c, d, either, otherwise := n.text[n.first], n.text[n.second], byte(0), n.pair()
	if n.fold && upper(d) != d {
		either = 0x20
	}
	return func(b []byte) int {
		places, left := len(b)-len(n.text)+1, credit
		for start := 0; start < places; start++ {
			i := bytes.IndexByte(b[start+n.first:places+n.first], c)
			if i < 0 {
				return -1
			}
			if start += i; b[start+n.second]|either == d && n.at(b[start:]) {
				return start
			}
			if left = min(left+i-rareGap, credit); left >= 0 {
				continue
			}
			next := start + 1
			if i := otherwise(b[next:min(next+stretch+len(n.text)-1, len(b))]); i >= 0 {
				return next + i
			}
			start, left = start+stretch, 0
		}
		return -1
	}
}

// pair looks for the needle where two of its bytes stand that are rare together.
func (n *needle) pair() kernel {
	c, d := n.text[n.first], n.text[n.second]
	p := pairOf{c: uint64(c) * ones, d: uint64(d) * ones, mask: ^uint64(highs)}
	if n.fold && (upper(c) != c || upper(d) != d) {
		p.mask &^= 0x20 * ones
	}
	return func(b []byte) int {
		places := len(b) - len(n.text) + 1 // where it may stand
		if places <= 0 {
			return -1
		}
		firsts, seconds := b[n.first:n.first+places], b[n.second:n.second+places]
		i := 0
		for i < places && places >= 8 {
			i = min(i, places-8) // the last eight are looked at together, whichever of them were before
			i += p.skip(firsts[i:], seconds[i:])
			end := i + pairBlock/4
			if places-i < pairBlock { // skip leaves those
				end = places
			}
			for end = min(end, places-7); i < end; i += 8 {
				for marked := p.at(firsts[i:], seconds[i:]) & highs; marked != 0; marked &= marked - 1 {
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

// A pairOf is two bytes that are sought in two texts, c in the one and d in the other, each in each byte
// of a word. Bits that are not in the mask are not compared: the highest, and that of a letter's case.
type pairOf struct{ c, d, mask uint64 }

// at sets the highest bit of each of eight places where both bytes stand. It may set it for others, where
// characters beyond ASCII stand or above one of those.
func (p pairOf) at(firsts, seconds []byte) uint64 {
	differ := ((binary.LittleEndian.Uint64(firsts) ^ p.c) | (binary.LittleEndian.Uint64(seconds) ^ p.d)) & p.mask
	return differ - ones
}

// pairBlock is so many places that skip looks at together: 128 take two thirds of the time of 64.
const pairBlock = 128

// skip returns how many places in two texts of one length come before a quarter of a pairBlock that holds the first
// pair, or before the last places that are fewer than a block.
func (p pairOf) skip(firsts, seconds []byte) int {
	places := len(firsts)
	for len(firsts) >= pairBlock && len(seconds) >= pairBlock {
		f, s := (*[pairBlock]byte)(firsts), (*[pairBlock]byte)(seconds)
		one := p.at(f[0:], s[0:]) | p.at(f[8:], s[8:]) | p.at(f[16:], s[16:]) | p.at(f[24:], s[24:])
		two := p.at(f[32:], s[32:]) | p.at(f[40:], s[40:]) | p.at(f[48:], s[48:]) | p.at(f[56:], s[56:])
		three := p.at(f[64:], s[64:]) | p.at(f[72:], s[72:]) | p.at(f[80:], s[80:]) | p.at(f[88:], s[88:])
		four := p.at(f[96:], s[96:]) | p.at(f[104:], s[104:]) | p.at(f[112:], s[112:]) | p.at(f[120:], s[120:])
		if (one|two|three|four)&highs != 0 {
			before := places - len(firsts)
			switch {
			case one&highs != 0:
				return before
			case two&highs != 0:
				return before + pairBlock/4
			case three&highs != 0:
				return before + pairBlock/2
			}
			return before + pairBlock*3/4
		}
		firsts, seconds = firsts[pairBlock:], seconds[pairBlock:]
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
