package signal

import (
	"strings"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/pasted"
)

// maxTyped is the length, in characters, of the longest message that is looked at, without what was
// pasted: on longer ones the rules are right one time in ten.
const maxTyped = 300

// maxLooked is how many bytes of a message outside fenced code are looked at, half of them at its beginning and half at
// its end: a person types before what is pasted or after it.
const maxLooked = 8 << 10

// maxText is how many bytes a message has at most that is looked at: its lines take some forty times as much memory.
const maxText = 256 << 10

// typed returns the lines that a person typed, as far as one can tell: not fenced code, quotations, logs or
// stack traces. It returns nil when these are longer than maxTyped.
func typed(text string) (typed [][2]int) {
	if len(text) > maxText {
		return nil
	}
	lines := strings.Split(text, "\n")
	from, runes := 0, 0
	for i, is := range pasted.Lines(lines, maxLooked/2) {
		line := lines[i]
		begins := strings.TrimSpace(line)
		if is == (pasted.Line{}) && begins != "" && begins[0] != '>' {
			if runes += utf8.RuneCountInString(line); runes > maxTyped {
				return nil
			}
			typed = append(typed, [2]int{from, from + len(line)})
		}
		from += len(line) + 1
	}
	return typed
}
