package transcript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The walk over the JSON of one line. It allocates nothing and decodes nothing: it checks the grammar
// around the strings and tells where the values stand, some hundred times as fast as encoding/json
// (BenchmarkDecode). It accepts a line that encoding/json refuses only for what stands within a string;
// what is unusual in a line it calls odd and leaves to encoding/json (odd.go): so both always tell the
// same of what both accept (FuzzWalk).

// odd is the place behind a value that the walk cannot judge.
const odd = -1

// maxDepth is how deep the walk goes; 16 was the deepest seen (CENSUS 2).
const maxDepth = 64

// space returns the place of the next byte that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') { // most are above
		i++
	}
	return i
}

// skip returns the place behind the value at i.
func skip(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return odd
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{':
		return object(b, i, func(_ []byte, i int) int { return skip(b, i, depth+1) })
	case '[':
		return array(b, i, func(i int) int { return skip(b, i, depth+1) })
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return odd
	}
	return i + len(word)
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i == odd || b[first] == '0' && i > first+1 {
		return odd
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i == odd {
			return odd
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits returns the place behind one digit or more.
func digits(b []byte, i int) int {
	first := i
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	if i == first {
		return odd
	}
	return i
}

// skipString returns the place behind the string at i. What stands in it is not looked at (a backslash
// that escapes nothing is one to whoever decodes it): nearly all that is walked over nobody decodes, and
// the next quote is found ten times as fast as the next escape.
func skipString(b []byte, i int) int {
	// Most strings are keys, ids and words. To find the end of those, eight bytes at once, takes half of
	// the time of a call of bytes.IndexByte.
	k := i + 1
	for ; k <= i+33 && k+8 <= len(b); k += 8 {
		w := binary.LittleEndian.Uint64(b[k:]) ^ '"'*ones
		if marked := (w - ones) &^ w & highs; marked != 0 { // the lowest is marked rightly
			if k += bits.TrailingZeros64(marked) >> 3; b[k-1] != '\\' {
				return k + 1
			}
			break
		}
	}
	for {
		n := bytes.IndexByte(b[k:], '"')
		if n < 0 {
			return odd
		}
		k += n
		first := k               // of the backslashes before the quote
		for b[first-1] == '\\' { // a quote opened the string
			first--
		}
		if k++; (k-first)%2 != 0 {
			return k
		}
	}
}

// unescape is what stands for the byte behind a backslash; 0: nothing does, or it is a u.
var unescape = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hex4 reads the four digits behind \u.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// object walks over the object at i. field is called with each key, as it stands between its quotes,
// and the place of its value, and returns the place behind that.
func object(b []byte, i int, field func(key []byte, i int) int) int {
	if i = space(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return odd
		}
		key := i + 1
		if i = skipString(b, i); i == odd {
			return odd
		}
		name := b[key : i-1]
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return odd
		}
		if i = field(name, space(b, i+1)); i == odd {
			return odd
		}
		if i = space(b, i); i >= len(b) || b[i] != ',' {
			return closed(b, i, '}')
		}
		i = space(b, i+1)
	}
}

// array walks over the array at i. item is called with the place of each value, and returns the place
// behind it.
func array(b []byte, i int, item func(i int) int) int {
	if i = space(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = item(i); i == odd {
			return odd
		}
		if i = space(b, i); i >= len(b) || b[i] != ',' {
			return closed(b, i, ']')
		}
		i = space(b, i+1)
	}
}

func closed(b []byte, i int, bracket byte) int {
	if i >= len(b) || b[i] != bracket {
		return odd
	}
	return i + 1
}
