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
	var room [512]byte // most fit; one for all would take longer to clear than they take
	folded := room[:0]
	if len(text) > len(room)-16 {
		folded = make([]byte, 0, len(text)+16)
	}
	folded = append(folded, speaker...)
	last := byte(' ')
	for i := 0; i < len(text); {
		c := alikeASCII[text[i]]
		if c == 0 {
			r, size := utf8.DecodeRuneInString(text[i:])
			if last = 0; caseless(r) {
				folded = append(folded, text[i:i+size]...)
			} else {
				folded = utf8.AppendRune(folded, unicode.ToLower(r))
			}
			i += size
			continue
		}
		if i++; c == last && (c == ' ' || c == '0') {
			continue
		}
		folded, last = append(folded, c), c
	}
	if last == ' ' && len(folded) > len(speaker) {
		folded = folded[:len(folded)-1]
	}
	return sumBytes(folded)
}

// caseless reports whether a character is of the scripts of China, Japan and Korea, which have no case.
func caseless(r rune) bool { return 0x2e80 <= r && r < 0xa640 || 0xac00 <= r && r < 0xd7a4 }

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
