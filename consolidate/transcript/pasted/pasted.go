// Package pasted separates what was pasted into a message (blocks of code, logs, stack traces, JSON) from what a person
// typed. It guesses, line by line: it promises no more than to end, in time that grows with the text.
package pasted

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

const (
	minLog     = 6   // lines in a row that look pasted, and are taken for it
	minTrace   = 3   // such lines, where a program wrote two of them for certain
	maxPrinted = 300 // bytes of a line of JSON that is not taken for pasted
	maxProgram = 200 // bytes of a line in which the beginning is looked for that says that a program wrote it
)

// A Line says what a line of a text is.
type Line struct {
	Fenced  int  // how many lines the fenced block has that it is in, without its fences; 0: it is in none
	Logged  bool // it is in a log
	Printed bool // a program wrote it for certain
}

// Lines returns what the lines of a text are. Outside fenced blocks only its first and its last most bytes are judged:
// what is between counts as a log.
func Lines(lines []string, most int) []Line {
	all, guesses := make([]Line, len(lines)), make([]guess, len(lines))
	before, after := 0, 0 // bytes outside fenced blocks
	for i := 0; i < len(lines); i++ {
		end := fenceEnd(lines, i)
		if end == 0 {
			after += len(lines[i])
			continue
		}
		for k := i; k <= end; k++ {
			all[k].Fenced, guesses[k] = max(1, end-i-1), inFence
		}
		i = end
	}
	for i, line := range lines {
		if guesses[i] == inFence {
			continue
		}
		if after -= len(line); before > most && after > most {
			all[i].Logged, guesses[i] = true, inFence
		} else {
			guesses[i] = guessOf(line)
			all[i].Printed = guesses[i] == printed
		}
		before += len(line)
	}
	for i := 0; i < len(lines); {
		end := logEnd(guesses[i:], len(lines[i]) > maxPrinted)
		for k := range end {
			all[i+k].Logged = true
		}
		i += max(end, 1)
	}
	return all
}

// Fence begins or ends a block of code.
var Fence = lazy.New("^ {0,3}(```+|~~~+)")

// fenceEnd returns the line that closes the fenced block that a line opens; 0 where it opens none that is closed.
func fenceEnd(lines []string, open int) int {
	if line := strings.TrimLeft(lines[open], " "); line == "" || line[0] != '`' && line[0] != '~' {
		return 0
	}
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

// logEnd returns how many lines are of the log that some lines begin with; 0: they begin with none. A single line is
// one where it is long.
func logEnd(guesses []guess, long bool) (end int) {
	looks, certain := 0, 0
	for i, gap := 0, 0; i < len(guesses) && gap <= 2; i++ {
		switch g := guesses[i]; {
		case g == printed || g == likely:
			if g == printed {
				certain++
			}
			looks++
			end, gap = i+1, 0
		case i == 0:
			return 0
		case g == prose || g == inFence:
			gap = 3
		case g == unlikely:
			gap++
		}
	}
	if looks >= minLog || looks >= minTrace && certain >= 2 || certain == 1 && long {
		return end
	}
	return 0
}

// A guess says who wrote a line.
type guess uint8

const (
	empty guess = iota
	unlikely
	likely  // a program
	printed // a program, for certain
	prose   // a person
	inFence
)

// programs is what begins a line that a program wrote.
var programs = lazy.New(`^(?:` + strings.Join([]string{
	`at \S+.*[(:]`, `File "[^"]*", line \d`, `Traceback \(most recent`, `Caused by: `, `[\w.]*(?:Error|Exception): `,
	`goroutine \d+ \[`, `\S+\.[a-z]{1,4}:\d+(?::\d+)?[:)]?\s`, `\.{3} \d+ more`,
	`\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d`, `\[?\d\d:\d\d:\d\d`,
	`\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PASS|FAIL)\b`, `(?:---|===) (?:PASS|FAIL|RUN|SKIP)`,
	`npm (?:ERR!|WARN|error|warn)`, `error(?:\[E?\d+\]|: )`, `warning: `, `diff --git `, `@@ -\d`,
	`(?:\+\+\+|---) [ab]/`, `[d-][rwx-]{9}`, `[$❯] \S`, `PS [A-Z]:\\`,
	`panic: `, `exit status \d`, `"[^"]*"\s*:\s`,
}, "|") + `)`)

// programBytes are what such a line without a colon begins with.
const programBytes = "aFTg.[DIWEPn-=d@+$\xe2e"

// programWords are the words of letters only that begin such a line.
var programWords = lazy.New(`^(?:[A-Z]+|at|File|Traceback|Caused|goroutine|npm|diff|exit)$`)

// mayBePrinted reports whether a line may begin so: to match takes a hundred times as long.
func mayBePrinted(text string) bool {
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return programWords.MatchString(first)
	}
	return strings.IndexByte(text, ':') >= 0 || strings.IndexByte(programBytes, text[0]) >= 0
}

// isPrinted reports whether a line begins as one that a program wrote.
func isPrinted(text string) bool {
	return mayBePrinted(text) && programs.MatchString(text[:min(len(text), maxProgram)])
}

// guessOf guesses who wrote a line.
func guessOf(line string) guess {
	text := strings.TrimSpace(line)
	if text == "" {
		return empty
	}
	if isPrinted(text) {
		return printed
	}
	if (text[0] == '{' || text[0] == '[') && len(text) > maxPrinted && json.Valid([]byte(text)) {
		return printed
	}
	if isProse(line) {
		return prose
	}
	signs, all := 0, 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			all++
			if r < utf8.RuneSelf && !unicode.IsLetter(r) {
				signs++
			} else if Unspaced(r) { // it says as much as several letters
				all += 3
			}
		}
	}
	if 4*signs >= all {
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
