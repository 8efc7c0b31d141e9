package signal

import (
	"strings"
	"unicode/utf8"
)

// What is looked at of a text, in runes, and how long a block of lines a person types without a blank
// line between. The median of what people type is 88 characters, a tenth is over 2,806 (CENSUS 2).
const (
	headRunes  = 2000
	tailRunes  = 500
	blockLines = 24
)

// fence opens and closes code.
const fence = "```"

// typed visits the lines that a person typed, as far as one can tell, until visit returns false: no
// fenced code, quotations, logs or stack traces, and of a block too long to be typed its first line.
func typed(text string, visit func(from, to int) bool) {
	head, tail := windows(text)
	p := paste{text: text, visit: visit}
	p.window(0, head)
	if tail < len(text) && !p.stopped {
		if strings.Count(text[head:tail], fence)%2 == 1 {
			p.fenced = !p.fenced
		}
		p.window(tail, len(text))
	}
}

// windows returns where the head of a text ends and where its tail begins; when the head is all of it,
// both are its end.
func windows(text string) (head, tail int) {
	tail = len(text)
	if len(text) <= headRunes+tailRunes {
		return tail, tail
	}
	for range headRunes {
		_, size := utf8.DecodeRuneInString(text[head:])
		head += size
	}
	for n := 0; n < tailRunes && tail > head; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:tail])
		tail -= size
	}
	if tail <= head {
		return len(text), len(text)
	}
	return head, tail
}

// A paste is a text on its way through typed.
type paste struct {
	text    string
	visit   func(from, to int) bool
	fenced  bool
	stopped bool
}

// window goes through the blocks of text[from:end].
func (p *paste) window(from, end int) {
	var block [blockLines][2]int
	for n := 0; from < end && !p.stopped; {
		to := end
		if i := strings.IndexByte(p.text[from:end], '\n'); i >= 0 {
			to = from + i
		}
		line := strings.TrimSpace(p.text[from:to])
		fences := strings.HasPrefix(line, fence)
		if line != "" && !fences && !p.fenced {
			if n < blockLines {
				block[n] = [2]int{from, to}
			}
			n++
		}
		if from = to + 1; line == "" || fences || from >= end {
			p.block(block[:min(n, blockLines)], n > blockLines)
			n = 0
		}
		if fences {
			p.fenced = !p.fenced
		}
	}
}

// block visits the lines of a block that stand before and behind what a machine wrote.
func (p *paste) block(lines [][2]int, long bool) {
	if long {
		lines = lines[:1]
	}
	first, last := len(lines), -1
	for i, line := range lines {
		if machine(p.text[line[0]:line[1]]) {
			first, last = min(first, i), i
		}
	}
	for i, line := range lines {
		if p.stopped {
			return
		}
		if i < first || i > last {
			p.stopped = !p.visit(line[0], line[1])
		}
	}
}

// beginnings are those of lines that a program wrote or that a person quoted.
var beginnings = []string{
	">", "$ ", "% ", "@@ ", "+++ ", "--- ", "diff --git", "//", "/*", "<!--", "at ", "File \"", "Traceback (", "goroutine ",
	"npm ERR", "npm WARN", "Caused by:", "Exception in", "[ERROR", "[WARN", "[INFO", "[DEBUG", "ERROR ", "WARN ", "INFO ",
	"DEBUG ", "FATAL ", "ERROR:", "WARNING:", "INFO:", "Error:", "Warning:", "error:", "warning:", "fatal:", "panic:", "hint:",
	"error[", "--- FAIL", "=== RUN",
}

// begun are the beginnings by their first byte.
var begun = func() (by [256][]string) {
	for _, b := range beginnings {
		by[b[0]] = append(by[b[0]], b)
	}
	return by
}()

// machine reports whether a line looks like code, a log, a trace or a quotation rather than typed.
func machine(line string) bool {
	indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
	line = strings.TrimSpace(line)
	if line == "" {
		return false
	}
	for _, beginning := range begun[line[0]] {
		if strings.HasPrefix(line, beginning) {
			return beginning != "at " || strings.ContainsAny(line, "(/")
		}
	}
	word, _, spaced := strings.Cut(line, " ")
	if spaced && (strings.HasSuffix(word, "Error:") || strings.HasSuffix(word, "Exception:")) || placed(word) {
		return true
	}
	signs, rest := 0, line
	for ; len(rest) >= 4; rest = rest[4:] { // at once, which halves the time
		signs += int(sign[rest[0]]+sign[rest[1]]) + int(sign[rest[2]]+sign[rest[3]])
	}
	for i := range len(rest) {
		signs += int(sign[rest[i]])
	}
	limit := len(line) / 6
	if c := line[len(line)-1]; indented || c == '{' || c == '}' || c == ';' {
		limit = len(line) / 16
	}
	return signs > limit && signs > 1
}

// placed reports whether a word says when or where, as logs and compilers do: 2026-11-18T09:14:03Z,
// [09:14:03, main.go:12:5:.
func placed(word string) bool {
	if strings.HasPrefix(word, "http") {
		return false
	}
	digits, pairs := 0, 0
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case '0' <= c && c <= '9':
			digits++
			if i > 0 && (word[i-1] == ':' || word[i-1] == '-') {
				pairs++
			}
		}
	}
	return pairs > 1 && digits > 2 && (word[0] == '[' || '0' <= word[0] && word[0] <= '9') ||
		pairs > 0 && strings.HasSuffix(word, ":") && strings.Contains(word, ".")
}

// sign are the characters that code has more of than prose; those of URLs are not among them.
var sign = func() (signs [256]uint8) {
	for _, c := range []byte("{}[]<>=;|\\$&*^~_()\"") {
		signs[c] = 1
	}
	return signs
}()
