package reldate

import (
	"unicode"
	"unicode/utf8"
)

// match returns where the phrase ends that begins at text[at:], and its number; ok is false where
// it is not there.
func (p *phrase) match(text string, at int) (end, n int, ok bool) {
	n = p.count
	for _, want := range p.text {
		size := 0
		switch want {
		case ' ', '_':
			if size = spaceLen(text[at:]); size == 0 && want == ' ' {
				return 0, 0, false
			}
		case '#':
			for size < len(text)-at && text[at+size] >= '0' && text[at+size] <= '9' {
				n = 10*n + int(text[at+size]-'0')
				size++
			}
			if size == 0 || size > maxDigits {
				return 0, 0, false
			}
		default:
			var r rune
			if r, size = utf8.DecodeRuneInString(text[at:]); !same(r, want) {
				return 0, 0, false
			}
		}
		at += size
	}
	return at, n, true
}

// same reports whether a rune is a letter that is wanted, but for its case and the form of an apostrophe.
func same(r, want rune) bool {
	return r == want || isLatin(r) && unicode.ToLower(r) == want || want == '\'' && r == '’'
}

// maxDigits bounds a number: nobody counts a thousand days back.
const maxDigits = 3

// spaceLen returns the length of the white space that a text begins with; a second line end ends it,
// as it ends a paragraph.
func spaceLen(text string) int {
	lines := 0
	for i, r := range text {
		switch r {
		case '\n':
			if lines++; lines > 1 {
				return 0
			}
		case ' ', '\t', '\r', '\u00a0', '\u202f', '\u3000':
		default:
			return i
		}
	}
	return len(text)
}
