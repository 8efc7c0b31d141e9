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
	var room [512]byte
	folded := append(room[:0], speaker...)
	last := byte(' ')
	for _, r := range text {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			if last == ' ' {
				continue
			}
			folded, last = append(folded, ' '), ' '
			continue
		case '0' <= r && r <= '9':
			if last == '0' {
				continue
			}
			r, last = '0', '0'
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			last = byte(r)
		default:
			r, last = unicode.ToLower(r), 'x'
		}
		folded = utf8.AppendRune(folded, r)
	}
	if last == ' ' {
		folded = folded[:len(folded)-1]
	}
	return sumBytes(folded)
}
