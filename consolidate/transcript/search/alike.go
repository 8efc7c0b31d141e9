package search

import (
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/said"
)

// maxAlike bounds the texts that are compared with others, in bytes: what repeats is short.
const maxAlike = 4 << 10

// alike is the same for texts of one speaker that differ in nothing but case, digits and white space; 0 for one too
// long to tell.
func alike(speaker said.Speaker, text string) uint64 {
	if len(text) > maxAlike {
		return 0
	}
	folded := append(make([]byte, 0, len(speaker)+len(text)+16), speaker...)
	last := ' '
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case '0' <= r && r <= '9':
			r = '0'
		default:
			r = unicode.ToLower(r)
		}
		if r != last || r != ' ' && r != '0' {
			folded, last = utf8.AppendRune(folded, r), r
		}
	}
	if last == ' ' && len(folded) > len(speaker) {
		folded = folded[:len(folded)-1]
	}
	return said.SumOf(folded)
}
