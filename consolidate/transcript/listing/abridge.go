package listing

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text is shown, in characters. 400 and 150 keep what a person asks for, which stands at the beginning
// or at the end; the median utterance has 72 (CENSUS).
const (
	maxOwn     = 600   // a text of a person's own that is shown whole
	keptFirst  = 400   // of a longer one
	keptLast   = 150   // of a longer one
	maxBeside  = 2_000 // a text of a person's own before, between or after what was pasted, shown whole
	maxFence   = 3     // lines of a fenced block that is shown
	minLog     = 6     // lines in a row that look pasted, and are taken for it
	minTrace   = 3     // such lines, where a program wrote two of them for certain
	maxPieces  = 40    // own texts between pastes
	maxPrinted = 300   // characters of a line of JSON that is shown
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
		if p.pasted > 0 {
			shown = append(shown, fmt.Sprintf("[pasted: %s]", count(p.pasted, "line")))
		} else if own := shortened(p.text, most); own != "" {
			shown = append(shown, own)
		}
	}
	if len(shown) > 2*maxPieces { // so many pieces are no person's
		left := len(shown) - 2*maxPieces
		shown = append(append(shown[:maxPieces:maxPieces], fmt.Sprintf("[%s left out]", count(left, "piece"))), shown[len(shown)-maxPieces:]...)
	}
	return strings.Join(shown, "\n")
}

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
	text   string
	pasted int
}

// split parts what was pasted from a person's own text.
func split(text string) []piece {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	pasted := make([]bool, len(lines))
	inFence := make([]bool, len(lines))
	for i := 0; i < len(lines); i++ {
		if end := fenceEnd(lines, i); end > 0 {
			for k := i; k <= end; k++ {
				inFence[k], pasted[k] = true, end-i-1 > maxFence
			}
			i = end
		}
	}
	for i := 0; i < len(lines); {
		if inFence[i] {
			i++
			continue
		}
		end := logEnd(lines, inFence, i)
		for k := i; k < end; k++ {
			pasted[k] = true
		}
		i = max(end, i+1)
	}
	var pieces []piece
	for from := 0; from < len(lines); {
		to := from
		for to < len(lines) && pasted[to] == pasted[from] {
			to++
		}
		switch n := countLines(lines[from:to]); {
		case !pasted[from]:
			if own := strings.Join(lines[from:to], "\n"); strings.TrimSpace(own) != "" {
				pieces = append(pieces, piece{text: own})
			}
		case len(pieces) > 0 && pieces[len(pieces)-1].pasted > 0:
			pieces[len(pieces)-1].pasted += n
		default:
			pieces = append(pieces, piece{pasted: n})
		}
		from = to
	}
	return pieces
}

// countLines counts pasted lines, less the marks of fences and what is empty, at least one.
func countLines(lines []string) int {
	n := 0
	for _, line := range lines {
		if !fenceMark.MatchString(line) && strings.TrimSpace(line) != "" {
			n++
		}
	}
	return max(n, 1)
}

var fenceMark = regexp.MustCompile("^ {0,3}(```+|~~~+)")

// fenceEnd returns the line that closes the fenced block that a line opens; 0 where it opens none that is closed.
func fenceEnd(lines []string, open int) int {
	m := fenceMark.FindStringSubmatch(lines[open])
	if m == nil {
		return 0
	}
	for i := open + 1; i < len(lines); i++ {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(lines[i], " "), m[1]); ok && strings.Trim(rest, m[1][:1]+" \t") == "" {
			return i
		}
	}
	return 0
}

// logEnd returns the line after a pasted log that begins at a line; the line itself where none does.
func logEnd(lines []string, inFence []bool, from int) int {
	looks, certain, end := 0, 0, from
	for i, gap := from, 0; i < len(lines) && !inFence[i] && gap <= 2; i++ {
		switch p := printed(lines[i]); {
		case p == sure:
			certain++
			fallthrough
		case p == likely:
			looks++
			end, gap = i+1, 0
		case i == from:
			return from
		case strings.TrimSpace(lines[i]) == "":
		case isProse(lines[i]):
			gap = 3
		default:
			gap++
		}
	}
	if looks >= minLog || looks >= minTrace && certain >= 2 || certain == 1 && utf8.RuneCountInString(lines[from]) > maxPrinted {
		return end
	}
	return from
}

// A guess says whether a program wrote a line.
type guess int

const (
	unlikely guess = iota
	likely
	sure
)

var programs = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
	`at \S+.*[(:]`, `File "[^"]*", line \d`, `Traceback \(most recent`, `Caused by: `, `[\w.]*(?:Error|Exception): `, `goroutine \d+ \[`, `\S+\.[a-z]{1,4}:\d+(?::\d+)?[:)]?\s`, `\.{3} \d+ more`,
	`\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d`, `\[?\d\d:\d\d:\d\d`, `\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PASS|FAIL)\b`, `(?:---|===) (?:PASS|FAIL|RUN|SKIP)`,
	`npm (?:ERR!|WARN|error|warn)`, `error(?:\[E?\d+\]|: )`, `warning: `, `diff --git `, `@@ -\d`, `(?:\+\+\+|---) [ab]/`, `[d-][rwx-]{9}`, `[$❯] \S`, `PS [A-Z]:\\`,
	`panic: `, `exit status \d`, `"[^"]*"\s*:\s`,
}, "|") + `)`)

// printed guesses whether a program wrote a line.
func printed(line string) guess {
	text := strings.TrimSpace(line)
	if text == "" {
		return unlikely
	}
	if programs.MatchString(line) {
		return sure
	}
	if (text[0] == '{' || text[0] == '[') && len(text) > maxPrinted && json.Valid([]byte(text)) {
		return sure
	}
	if isProse(line) {
		return unlikely
	}
	signs, all := 0, 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			all++
			if r < utf8.RuneSelf && !unicode.IsLetter(r) {
				signs++
			}
		}
	}
	if all > 0 && 4*signs >= all {
		return likely
	}
	return unlikely
}

// isProse reports whether a line reads like what a person writes: words, most of its characters.
func isProse(line string) bool {
	words, letters, all := 0, 0, 0
	for word := range strings.FieldsSeq(line) {
		n, of := 0, 0
		for _, r := range word {
			if of++; unicode.IsLetter(r) || unicode.IsMark(r) {
				n++
			}
			if unspaced(r) {
				words++
			}
		}
		letters, all = letters+n, all+of
		if n >= of-1 && n > 1 {
			words++
		}
	}
	return words >= 3 && 5*letters >= 4*all
}
