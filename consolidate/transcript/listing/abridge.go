package listing

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/pasted"
)

// How much of a text is shown, in characters. 400 and 150 keep what a person asks for, which is at the beginning
// or at the end. Half of what people type has less than 90.
const (
	maxOwn    = 600   // a text of a person's own that is shown whole
	keptFirst = 400   // of a longer one
	keptLast  = 150   // of a longer one
	maxBeside = 2_000 // a text of a person's own before, between or after what was pasted, shown whole
	maxFence  = 3     // lines of a fenced block that is shown
	maxPieces = 40    // own texts between pastes
)

// abridged returns a text as a list shows it: what was pasted as its number of lines, and of what is long the
// beginning and the end.
func abridged(text string) string {
	pieces := split(text)
	most := maxBeside
	if len(pieces) == 1 || len(pieces) > maxPieces {
		most = maxOwn
	}
	shown := make([]string, 0, len(pieces))
	for _, p := range pieces {
		if p.lines > 0 {
			shown = append(shown, fmt.Sprintf("[pasted: %s]", count(p.lines, "line")))
		} else if own := shortened(p.text, most); own != "" {
			shown = append(shown, own)
		}
	}
	if len(shown) > 2*maxPieces { // no person writes so many pieces
		left := len(shown) - 2*maxPieces
		shown = append(append(shown[:maxPieces:maxPieces], fmt.Sprintf("[%s left out]", count(left, "piece"))), shown[len(shown)-maxPieces:]...)
	}
	return strings.Join(shown, "\n")
}

// Whole reports whether a list shows a text whole.
func Whole(text string) bool { return abridged(text) == strings.TrimSpace(text) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shortened returns a text of at most so many characters, or its beginning and end and how much is left out.
func shortened(text string, most int) string {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	runes := []rune(text)
	first, last := edge(runes[:keptFirst], -1), edge(runes[n-keptLast:], 1)
	return fmt.Sprintf("%s … [%d characters left out] … %s", string(first), n-len(first)-len(last), string(last))
}

// edge returns runes less the word that was cut at their end (-1) or at their beginning (1), if that is short.
func edge(runes []rune, side int) []rune {
	const word = 20
	for i := range min(word, len(runes)) {
		if side < 0 && unicode.IsSpace(runes[len(runes)-1-i]) {
			return runes[:len(runes)-1-i]
		}
		if side > 0 && unicode.IsSpace(runes[i]) {
			return runes[i+1:]
		}
	}
	return runes
}

// A piece of a text is a person's own, or so many pasted lines.
type piece struct {
	text  string
	lines int // that were pasted
}

// split parts what was pasted from a person's own text.
func split(text string) []piece {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	kinds := pasted.Lines(lines, math.MaxInt)
	isPasted := func(i int) bool { return kinds[i].Logged || kinds[i].Fenced > maxFence }
	var pieces []piece
	for from := 0; from < len(lines); {
		to := from
		for to < len(lines) && isPasted(to) == isPasted(from) {
			to++
		}
		switch n := countLines(lines[from:to]); {
		case !isPasted(from):
			if own := strings.Join(lines[from:to], "\n"); strings.TrimSpace(own) != "" {
				pieces = append(pieces, piece{text: own})
			}
		case from == 0 && kinds[from].Logged, to == len(lines) && kinds[to-1].Logged:
			pieces = append(pieces, edges(lines, from, to)...)
		case len(pieces) > 0 && pieces[len(pieces)-1].lines > 0:
			pieces[len(pieces)-1].lines += n
		default:
			pieces = append(pieces, piece{lines: n})
		}
		from = to
	}
	return pieces
}

// edges are the pieces of a log at the beginning or the end of a text, with what a person typed on its first or last
// line.
func edges(lines []string, from, to int) (pieces []piece) {
	if head := pasted.Head(lines[from]); from == 0 && head != "" {
		pieces = append(pieces, piece{text: head + " …"})
	}
	pieces = append(pieces, piece{lines: countLines(lines[from:to])})
	if tail := pasted.Tail(lines[to-1]); to == len(lines) && tail != "" {
		pieces = append(pieces, piece{text: "… " + tail})
	}
	return pieces
}

// countLines counts pasted lines, less the marks of fences and what is empty, at least one.
func countLines(lines []string) int {
	n := 0
	for _, line := range lines {
		if !pasted.Fence.MatchString(line) && strings.TrimSpace(line) != "" {
			n++
		}
	}
	return max(n, 1)
}
