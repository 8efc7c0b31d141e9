package listing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/pasted"
	"dream-mcp/memory/lazy"
)

// maxAnswer is how many words a short answer has. It says little without the sentence that it answers.
const maxAnswer = 5

// maxSentence bounds, in characters, the sentence that is shown beside it.
const maxSentence = 600

// isAnswer reports whether a text is so short that what was said before it must be shown.
func isAnswer(text string) bool { return len(text) <= 400 && wordCount(text) <= maxAnswer }

// wordCount counts the words of a text. Where they are not parted by spaces, two characters are one.
func wordCount(text string) int {
	words, row, within := 0, 0, false
	for _, r := range text {
		if pasted.Unspaced(r) {
			row++
			within = false
			continue
		}
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || within && strings.ContainsRune("'’-_./", r)
		if letter && !within {
			words++
		}
		within = letter
	}
	return words + (row+1)/2
}

var sentenceEnd = lazy.New(`[.!?…]+["'”’)\]*_]*\s+|[。！？]+[”’」』）]*`)

// lastSentence returns the last sentence of a text, after the last block of code.
func lastSentence(text string) string {
	last, fenced := "", false
	for line := range strings.Lines(text) {
		if pasted.Fence.MatchString(line) {
			fenced = !fenced
		} else if line = strings.TrimSpace(line); !fenced && line != "" && strings.ContainsFunc(line, unicode.IsLetter) {
			last = line
		}
	}
	begin := 0
	for _, at := range sentenceEnd.FindAllStringIndex(last, -1) {
		before, after := last[begin:at[0]], last[at[1]:]
		next, _ := utf8.DecodeRuneInString(after)
		if after != "" && !unicode.IsLower(next) && strings.ContainsFunc(before, unicode.IsLetter) && strings.ContainsFunc(after, unicode.IsLetter) {
			begin = at[1]
		}
	}
	last = last[begin:]
	if runes := []rune(last); len(runes) > maxSentence {
		last = "… " + string(runes[len(runes)-maxSentence:])
	}
	return last
}
