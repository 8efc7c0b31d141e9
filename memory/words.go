package memory

import (
	"strings"
	"time"
	"unicode"
)

// WordsOf returns the words of a text in lower case, in order. Of scripts that put no spaces between
// words, each character is one.
func WordsOf(text string) []string {
	var words []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(text[start:end]))
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case Unspaced(r):
			flush(i)
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '_':
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return words
}

// Unspaced reports whether a rune is of a script that puts no spaces between words, or of Hangul, which glues grammar to them.
func Unspaced(r rune) bool {
	return r >= '\u1100' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// FirstDate returns the first ISO date of a text, as that day.
func FirstDate(text string) (time.Time, bool) {
	const size = len(time.DateOnly)
	for i := 0; i+size <= len(text); i++ {
		if text[i] != '1' && text[i] != '2' || text[i+4] != '-' {
			continue
		}
		if day, err := time.Parse(time.DateOnly, text[i:i+size]); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}
