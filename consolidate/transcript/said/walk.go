package said

import (
	"bytes"
)

// The walk over the JSON of one line. It decodes nothing and allocates nothing: it checks the grammar around the
// strings and notes where values begin and end. encoding/json takes ten times as long (BenchmarkDecode). FuzzWalk holds
// the two together: the walk reads what encoding/json accepts as encoding/json does, except that keys are
// case-sensitive. It is more tolerant inside strings and numbers, which it does not check.

// malformed is returned in place of an end where a value is not JSON.
const malformed = -1

// maxDepth bounds nesting, as encoding/json does.
const maxDepth = 10_000

// space returns the index of the next byte that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skip returns the index after the value at i.
func skip(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return malformed
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{':
		return eachField(b, i, func(_ []byte, i int) int { return skip(b, i, depth+1) })
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
		return malformed
	}
	return i + len(word)
}

// skipNumber returns the index after the digits, signs, points and exponents at i. It does not check their order.
func skipNumber(b []byte, i int) int {
	first := i
	for i < len(b) && (b[i]-'0' < 10 || b[i] == '.' || b[i] == '-' || b[i] == '+' || b[i]|0x20 == 'e') {
		i++
	}
	if i == first {
		return malformed
	}
	return i
}

// skipString returns the index after the string at i. It does not check escapes: a backslash that escapes nothing
// stands for itself, to whoever decodes the string.
func skipString(b []byte, i int) int {
	k := i + 1
	for {
		n := bytes.IndexByte(b[k:], '"')
		if n < 0 {
			return malformed
		}
		k += n
		first := k // of the backslashes before the quote
		for b[first-1] == '\\' {
			first--
		}
		if k++; (k-first)%2 != 0 {
			return k
		}
	}
}

// unescape is what a backslash and a byte stand for; 0: nothing, or the byte is u.
var unescape = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// Hex4 reads the four digits after \u.
func Hex4(b []byte) (r rune, ok bool) {
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

// eachField walks over the object at i and returns the index after it. field is called with each key and the index of
// its value, and returns the index after that.
func eachField(b []byte, i int, field func(key []byte, i int) int) int {
	if i = space(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return malformed
		}
		key := i + 1
		if i = skipString(b, i); i == malformed {
			return malformed
		}
		name := b[key : i-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(unquote(name))
		}
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return malformed
		}
		if i = field(name, space(b, i+1)); i == malformed {
			return malformed
		}
		if i = space(b, i); i >= len(b) || b[i] != ',' {
			return closed(b, i, '}')
		}
		i = space(b, i+1)
	}
}

// array walks over the array at i and returns the index after it. item is called with the index of each value, and
// returns the index after that.
func array(b []byte, i int, item func(i int) int) int {
	if i = space(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = item(i); i == malformed {
			return malformed
		}
		if i = space(b, i); i >= len(b) || b[i] != ',' {
			return closed(b, i, ']')
		}
		i = space(b, i+1)
	}
}

func closed(b []byte, i int, bracket byte) int {
	if i >= len(b) || b[i] != bracket {
		return malformed
	}
	return i + 1
}
