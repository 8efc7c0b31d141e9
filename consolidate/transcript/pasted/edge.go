package pasted

import (
	"strings"
	"unicode"
)

// A person who types before or after a paste without a new line leaves words on its first or last line.

const (
	minEdgeWords = 4 // that are taken for a person's, in a script that parts them by spaces
	minOnPrinted = 8 // at the end of a line that a program wrote for certain
	minEdgeSigns = 4 // characters of Chinese, Japanese, Korean and the like, in place of them
	maxBetween   = 1 // words that are not of letters, in a row: "2)"
)

// Head returns the prose that a pasted line begins with, "" if there is none. A line that a program wrote for certain
// from its beginning has none.
func Head(line string) string {
	text := strings.TrimSpace(line)
	if text == "" || isPrinted(text) {
		return ""
	}
	words := strings.Fields(text)
	n := prosaic(len(words), minEdgeWords, func(i int) string { return words[i] })
	return strings.Join(words[:n], " ")
}

// Tail returns the prose that a pasted line ends with, "" if there is none.
func Tail(line string) string {
	words, least := strings.Fields(line), minEdgeWords
	if text := strings.TrimSpace(line); text != "" && isPrinted(text) {
		least = minOnPrinted
	}
	n := prosaic(len(words), least, func(i int) string { return words[len(words)-1-i] })
	return strings.Join(words[len(words)-n:], " ")
}

// prosaic returns how many of n words, from the first on, are prose: at least so many in a script with spaces.
func prosaic(n, least int, word func(i int) string) (prose int) {
	words, signs, between := 0, 0, 0
	for i := 0; i < n && between <= maxBetween && (between == 0 || signs < minEdgeSigns); i++ {
		of, letters, own := 0, 0, 0
		for _, r := range word(i) {
			of++
			if unicode.IsLetter(r) || unicode.IsMark(r) {
				letters++
			}
			if Unspaced(r) || unicode.Is(unicode.Hangul, r) {
				own++
			}
		}
		if signs += own; own == 0 && (letters == 0 || letters < of-1) {
			between++
			continue
		}
		if own == 0 {
			words++
		}
		prose, between = i+1, 0
	}
	if words < least && signs < minEdgeSigns {
		return 0
	}
	return prose
}
