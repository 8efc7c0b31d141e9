package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner finds the phrases of a line.
type scanner struct {
	text  string // folded
	found []found
}

// A found phrase is of a kind, by its index.
type found struct{ kind, from, to int }

// scan finds the phrases of a folded line. Several question marks in a row, or a mixture, are impatience.
func scan(text string) []found {
	s := scanner{text: text}
	for from, i := 0, 0; i < len(text); {
		end := i + len(leading(text[i:], func(c byte) bool { return !isStop(c) }))
		i = end + len(leading(text[end:], isStop))
		marks := text[end:i]
		if i == len(text) || text[i] == ' ' || strings.Trim(marks, ".") != "" {
			s.sentence(from, i)
			from = i
		}
		if strings.Contains(marks, "???") || strings.Contains(marks, "?!") || strings.Contains(marks, "!?") {
			s.found = append(s.found, found{frustration, end, i})
		}
	}
	return s.found
}

// leading returns the bytes of one class that a text begins with.
func leading(text string, class func(byte) bool) string {
	n := 0
	for n < len(text) && class(text[n]) {
		n++
	}
	return text[:n]
}

func isStop(c byte) bool   { return c == '.' || c == '!' || c == '?' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' }

// isJoined reports whether a character is of a name or a path, in which no phrase begins but at its first letter.
func isJoined(c byte) bool { return isLetter(c) || strings.IndexByte(`'-./@$\`, c) >= 0 }

// sentence finds the phrases that begin in text[i:end], and keeps track of where the clauses begin.
func (s *scanner) sentence(i, end int) {
	at, text := sentence, s.text[:end]
	for i < end {
		next := i + 1
		switch c := text[i]; {
		case strings.IndexByte(" *#-", c) >= 0:
			if i > 0 && strings.HasPrefix(text[i-1:], " - ") {
				at = max(at, clause)
			}
		case strings.IndexByte(",;:()", c) >= 0:
			at = max(at, clause)
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			if at == anywhere && text[i-1] < utf8.RuneSelf {
				at = wordStart
			}
			if next = i + size; unicode.IsLetter(r) {
				next, at = s.phrase(text, i, next, at)
			}
		case isLetter(c):
			next, at = s.phrase(text, i, i+len(leading(text[i:], isLetter)), at)
			next = max(next, i+len(leading(text[i:], isJoined)))
		default:
			next, at = max(next, i+len(leading(text[i:], isJoined))), anywhere
		}
		i = next
	}
}

// phrase finds the phrases that begin at i, with a word that ends at next. It returns where to go on, and where in the
// sentence that is.
func (s *scanner) phrase(text string, i, next int, at anchor) (int, anchor) {
	var to [sections]int // the end of the longest match of each section
	for _, e := range rules()[text[i:next]] {
		if e.anchor > at || !strings.HasPrefix(text[i:], e.prefix) {
			continue
		}
		if m := e.expr().FindStringIndex(text[i:]); m != nil {
			end := i + len(strings.TrimRight(text[i:i+m[1]], ` ,;:.!?()"`)) // without the end of the clause
			if e.asked || !questioned(e.section, text[end:]) {
				to[e.section] = max(to[e.section], end)
			}
		}
	}
	for kind := range kinds {
		if to[kind] > to[innocent] {
			s.found = append(s.found, found{kind, i, to[kind]})
		}
	}
	switch taken := max(to[innocent], to[remember]); { // within "don't forget" nothing is corrected
	case taken > 0:
		return max(next, taken), anywhere
	case to[joint] >= next:
		return to[joint], max(at, clause)
	case to[opener] >= next:
		return to[opener], at
	}
	return next, anywhere
}

// questioned reports whether a phrase with the rest of its sentence is only asked, which makes it no preference,
// decision, error or confirmation. A confirmation is asked by its own clause only.
func questioned(section int, rest string) bool {
	switch Kind(sectionNames[section]) {
	case Confirmations:
		rest, _, _ = strings.Cut(strings.ReplaceAll(rest, ";", ","), ",")
	case Corrections, Preferences, Decisions, Errors:
	default:
		return false
	}
	rest = strings.TrimRight(rest, ` .!)"`)
	last, _ := utf8.DecodeLastRuneInString(rest)
	return strings.ContainsRune("?か吗嗎呢까", last)
}
