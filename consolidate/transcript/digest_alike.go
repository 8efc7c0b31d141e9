package transcript

import (
	"unicode"
	"unicode/utf8"
)

// maxAlike bounds the texts that are compared with others, in bytes: what repeats is short.
const maxAlike = 4 << 10

// alike is the same for texts of one speaker that differ in nothing but case, digits and white space;
// 0 for one too long to tell.
func alike(speaker Speaker, text string) uint64 {
	if len(text) > maxAlike {
		return 0
	}
	var room [maxAlike + 16]byte
	folded := append(room[:0], speaker...)
	last := byte(' ')
	for i := 0; i < len(text); {
		c := alikeASCII[text[i]]
		if c == 0 {
			r, size := utf8.DecodeRuneInString(text[i:])
			folded, last = utf8.AppendRune(folded, unicode.ToLower(r)), 0
			i += size
			continue
		}
		if i++; c == last && (c == ' ' || c == '0') {
			continue
		}
		folded, last = append(folded, c), c
	}
	if last == ' ' {
		folded = folded[:len(folded)-1]
	}
	return sumBytes(folded)
}

// alikeASCII is what stands for a character of ASCII; 0: it is none.
var alikeASCII = func() (as [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			as[c] = ' '
		case '0' <= c && c <= '9':
			as[c] = '0'
		case 'A' <= c && c <= 'Z':
			as[c] = c + 'a' - 'A'
		default:
			as[c] = c
		}
	}
	return as
}()
