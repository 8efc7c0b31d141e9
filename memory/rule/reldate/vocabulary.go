package reldate

import (
	"strings"
	"unicode/utf8"
)

// vocabulary is all of phrases.txt, by the word in Latin letters or the rune of another script that a phrase
// begins with, and "0" for a number.
type vocabulary map[string][]*phrase

// put files a phrase under what it begins with, and once more for each word for its number.
func (v vocabulary) put(p phrase, text string) {
	file := func(count int, text string) {
		start := "0"
		if text[0] != '#' {
			start = text[:startLen(text)]
		}
		p := p
		p.count, p.text = count, text
		v[start] = append(v[start], &p)
	}
	file(0, text)
	if strings.Contains(text, "#") {
		for word, n := range p.numbers {
			file(n, strings.Replace(text, "#", word, 1))
		}
	}
}

// startLen returns the length of what a text begins with: a word in Latin letters, a number, or one rune.
func startLen(text string) int {
	if text[0] >= '0' && text[0] <= '9' {
		return len(text) - len(strings.TrimLeft(text, "0123456789"))
	}
	for i, r := range text {
		if !isLatin(r) {
			if i == 0 {
				_, size := utf8.DecodeRuneInString(text)
				return size
			}
			return i
		}
	}
	return len(text)
}

// isLatin reports whether a rune is a letter of Latin script, as far as our languages go.
func isLatin(r rune) bool {
	return r < utf8.RuneSelf && isASCIILetter(byte(r)) || r >= 'À' && r <= 'ɏ' && r != '×' && r != '÷'
}
