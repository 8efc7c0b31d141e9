package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// latin holds the lower-case base letter of every rune below Cyrillic's supplement; 0 for a mark.
var latin = sync.OnceValue(func() *[0x530]rune {
	var table [0x530]rune
	for r := range rune(len(table)) {
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		if !unicode.Is(unicode.Mn, base) {
			table[r] = unicode.ToLower(base)
		}
	}
	for from, to := range map[rune]rune{'ø': 'o', 'Ø': 'o', 'æ': 'a', 'Æ': 'a', 'œ': 'o', 'Œ': 'o', 'ł': 'l', 'Ł': 'l', 'đ': 'd', 'Đ': 'd', 'ı': 'i'} {
		table[from] = to
	}
	return &table
})

// foldRune returns r in lower case and without its accent, or 0 for a mark that only modifies.
func foldRune(r rune) rune {
	switch {
	case r < 0x530:
		return latin()[r]
	case r >= 0xFF01 && r <= 0xFF5E: // full-width forms of ASCII
		return latin()[r-0xFEE0]
	case unicode.Is(unicode.Mn, r):
		return 0
	}
	return unicode.ToLower(r)
}

// fold returns a word in lower case and without accents.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r = foldRune(r); r == 0 {
			return -1
		}
		return r
	}, s)
}

// Composed returns s with its combining marks Composed, as stemmers want it.
func Composed(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(s)
		}
	}
	return s
}

// IsDense reports whether a rune is of the scripts that are written without spaces, or whose words carry their
// particles with them: they are compared by pairs of characters.
func IsDense(r rune) bool {
	return r >= 0x3400 && r <= 0x9FFF || // Han
		r >= 0xAC00 && r <= 0xD7A3 || // Hangul
		r >= 0x3041 && r <= 0x30FF && r != 0x30FB || // kana
		r == 0x3005 || // 々
		r >= 0x0E00 && r <= 0x0EFF || // Thai, Lao
		r >= 0x1000 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF || // Burmese, Khmer
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF // Han, further planes
}

// IsWord reports whether a rune can be part of a word of a spaced script.
func IsWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
