package signal

import (
	"strings"
	"unicode/utf8"
)

// maxTyped is the length, in characters, of the longest message that is looked at, without what was
// pasted: on longer ones the rules are right one time in ten.
const maxTyped = 300

// fence opens and closes code.
const fence = "```"

// typed returns the lines that a person typed, as far as one can tell: not fenced code, quotations, logs or
// stack traces. It returns nil when these are longer than maxTyped.
func typed(text string) (lines [][2]int) {
	fenced, runes := false, 0
	first, last := -1, -1 // the lines of this block that a machine wrote; all between them are its
	begin := 0            // of the block, in lines
	flush := func() {
		if first >= 0 {
			lines = append(lines[:first], lines[last+1:]...)
		}
		begin, first, last = len(lines), -1, -1
	}
	for from := 0; from < len(text); {
		to := len(text)
		if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
			to = from + i
		}
		line := strings.TrimSpace(text[from:to])
		switch {
		case strings.HasPrefix(line, fence):
			flush()
			fenced = !fenced
		case fenced:
		case line == "":
			flush()
		default:
			if machine(text[from:to]) {
				if last = len(lines); first < 0 {
					first = last
				}
			}
			if lines = append(lines, [2]int{from, to}); len(lines)-begin > maxTyped {
				return nil
			}
		}
		from = to + 1
	}
	flush()
	for _, l := range lines {
		if runes += utf8.RuneCountInString(text[l[0]:l[1]]); runes > maxTyped {
			return nil
		}
	}
	return lines
}

// beginnings are those of lines that a program wrote or that a person quoted.
var beginnings = []string{
	">", "$ ", "% ", "@@ ", "+++ ", "--- ", "diff --git", "//", "/*", "<!--", "at ", "File \"", "Traceback (", "goroutine ",
	"npm ERR", "npm WARN", "Caused by:", "Exception in", "[ERROR", "[WARN", "[INFO", "[DEBUG", "ERROR ", "WARN ", "INFO ",
	"DEBUG ", "FATAL ", "ERROR:", "WARNING:", "INFO:", "Error:", "Warning:", "error:", "warning:", "fatal:", "panic:", "hint:",
	"error[", "--- FAIL", "=== RUN",
}

// machine reports whether a line looks like code, a log, a trace or a quotation rather than typed.
func machine(line string) bool {
	indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
	line = strings.TrimSpace(line)
	if line == "" {
		return false
	}
	for _, beginning := range beginnings {
		if strings.HasPrefix(line, beginning) {
			return beginning != "at " || strings.ContainsAny(line, "(/")
		}
	}
	word, _, spaced := strings.Cut(line, " ")
	if spaced && (strings.HasSuffix(word, "Error:") || strings.HasSuffix(word, "Exception:")) || placed(word) {
		return true
	}
	signs := 0
	for _, r := range line {
		if strings.ContainsRune("{}[]<>=;|\\$&*^~_()\"", r) { // code has more of them than prose; those of URLs are not among them
			signs++
		}
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
