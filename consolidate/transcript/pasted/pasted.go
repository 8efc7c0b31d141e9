// Package pasted separates what was pasted into a message (blocks of code, logs, stack traces, JSON) from what a person typed. It
// guesses, line by line: it promises no more than to end, in time that grows with the text.
package pasted

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minLog     = 6   // lines in a row that look pasted, and are taken for it
	minTrace   = 3   // such lines, where a program wrote two of them for certain
	maxPrinted = 300 // characters of a line of JSON that is not taken for pasted
)

// Lines returns for each line of a text how many lines the fenced block has that it is in, its marks among it (0: it is in
// none), and whether it is of a log.
func Lines(lines []string) (fenced []int, logged []bool) {
	fenced, logged = make([]int, len(lines)), make([]bool, len(lines))
	inFence := make([]bool, len(lines))
	for i := 0; i < len(lines); i++ {
		if end := fenceEnd(lines, i); end > 0 {
			for k := i; k <= end; k++ {
				inFence[k], fenced[k] = true, max(1, end-i-1)
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
			logged[k] = true
		}
		i = max(end, i+1)
	}
	return fenced, logged
}

// Fence begins or ends a block of code.
var Fence = regexp.MustCompile("^ {0,3}(```+|~~~+)")

// fenceEnd returns the line that closes the fenced block that a line opens; 0 where it opens none that is closed.
func fenceEnd(lines []string, open int) int {
	m := Fence.FindStringSubmatch(lines[open])
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

// Printed reports whether a program wrote a line for certain.
func Printed(line string) bool { return printed(line) == sure }

// isProse reports whether a line reads like what a person writes: words, most of its characters.
func isProse(line string) bool {
	words, letters, all := 0, 0, 0
	for word := range strings.FieldsSeq(line) {
		n, of := 0, 0
		for _, r := range word {
			if of++; unicode.IsLetter(r) || unicode.IsMark(r) {
				n++
			}
			if Unspaced(r) {
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

// Unspaced reports whether a character is of a script that does not part words by spaces.
func Unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
