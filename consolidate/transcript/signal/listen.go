package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner goes through one folded line, word by word. It keeps track of where it is: at the beginning
// of a sentence, of a clause, of a word, or anywhere else.
type scanner struct {
	folded
	wanted Set
	report func(signal) bool
	at     anchor
}

// Classes of bytes.
const (
	other  uint8 = iota // the clause goes on
	blank               // the place stays what it is
	letter              // of a word
	breaks              // a clause begins after it
	stops               // a sentence begins after it
	quote               // a quotation is skipped
	wide                // the first byte of a rune beyond ASCII
)

var class = func() (c [256]uint8) {
	for i := range c {
		switch b := byte(i); {
		case b >= utf8.RuneSelf:
			c[i] = wide
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '_':
			c[i] = letter
		case strings.IndexByte(" '*#-", b) >= 0:
			c[i] = blank
		case strings.IndexByte(",;:()", b) >= 0:
			c[i] = breaks
		case strings.IndexByte(".!?\n", b) >= 0:
			c[i] = stops
		case b == '"' || b == '`':
			c[i] = quote
		}
	}
	return c
}()

// signal reports one, unless it is not wanted; it returns false when no more is.
func (s *scanner) signal(k Set, from, to int) bool {
	if s.wanted&k == 0 {
		return true
	}
	from, to = s.span(from, to)
	return s.report(signal{k, from, to})
}

// line reports the signals of the line until report returns false.
func (s *scanner) line() bool {
	s.at = sentence
	for i := 0; i < len(s.text); {
		next, more := i+1, true
		switch class[s.text[i]] {
		case other:
			s.at = anywhere
		case blank:
			if s.text[i] == '-' && strings.HasPrefix(s.text[i+1:], " ") && i > 0 && s.text[i-1] == ' ' {
				s.at = max(s.at, clause)
			}
		case letter:
			next, more = s.word(i)
		case breaks:
			s.at = max(s.at, clause)
		case stops:
			next, more = s.stop(i)
		case quote:
			next = s.quoted(i, s.text[i:i+1])
		case wide:
			next, more = s.wide(i)
		}
		if !more {
			return false
		}
		i = next
	}
	return true
}

// stop passes the end of a sentence, unless it is a full stop within a word. Several question marks
// in a row, or a mixture, are impatience.
func (s *scanner) stop(i int) (next int, more bool) {
	next = i + 1
	if s.text[i] == '.' {
		if next == len(s.text) || class[s.text[next]] != letter {
			s.at = sentence
		}
		return next, true
	}
	s.at = sentence
	for next < len(s.text) && (s.text[next] == '!' || s.text[next] == '?') {
		next++
	}
	marks := s.text[i:next]
	if strings.Contains(marks, "???") || strings.Contains(marks, "?!") || strings.Contains(marks, "!?") {
		return next, s.signal(frustration, i, next)
	}
	return next, true
}

// closing are the marks that end what a mark opens.
var closing = map[string]string{`"`: `"`, "`": "`", "「": "」", "『": "』", "《": "》"}

// quoted passes a quotation, whose mark is at i, or the mark alone where the quotation does not end.
func (s *scanner) quoted(i int, mark string) (next int) {
	next = i + len(mark)
	if mark == `"` && i > 0 && (class[s.text[i-1]] == letter || class[s.text[i-1]] == wide) {
		return next // an inch, or the end of a quotation
	}
	n := strings.Index(s.text[next:], closing[mark])
	if n < 0 {
		return next
	}
	s.at = anywhere
	return next + n + len(closing[mark])
}

// wide passes a rune beyond ASCII.
func (s *scanner) wide(i int) (next int, more bool) {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	next = i + size
	switch {
	case closing[s.text[i:next]] != "":
		return s.quoted(i, s.text[i:next]), true
	case !unicode.IsLetter(r):
		return next, true
	}
	if s.at == anywhere && i > 0 && class[s.text[i-1]] != wide {
		s.at = wordStart
	}
	return s.phrase(i, next)
}

// word passes a word of ASCII letters.
func (s *scanner) word(i int) (next int, more bool) {
	for next = i + 1; next < len(s.text) && class[s.text[next]] == letter; {
		next++
	}
	if i > 0 && s.joined(i-1) {
		s.at = anywhere
		return next, true
	}
	c := s.text[i]
	if '0' <= c && c <= '9' && s.at == sentence && next+1 < len(s.text) && (s.text[next] == '.' || s.text[next] == ')') && s.text[next+1] == ' ' {
		return next + 1, true // 1. of a list
	}
	return s.phrase(i, next)
}

// joined reports whether the byte at i ties the word after it to something before.
func (s *scanner) joined(i int) bool {
	switch s.text[i] {
	case '_', '/', '@', '$', '\\', '\'':
		return true
	case '-', '.':
		return i > 0 && (class[s.text[i-1]] == letter || s.text[i-1] == s.text[i] || s.text[i-1] == '/')
	}
	return false
}

// phrase reports the phrases that begin at i, where a word (or a rune of a script without spaces)
// ends at next, and returns where to go on.
func (s *scanner) phrase(i, next int) (int, bool) {
	var found [len(kinds)]int                   // the end of the longest match of each kind
	var role [joint + 1]int                     // and of each role
	rest := s.text[i:sentenceEnd(s.text, next)] // no rule looks further, and an expression costs by the length of its text
	rules().at(s.text, i, next, func(r *rule) {
		if r.anchor > s.at || r.role == gives && s.wanted&bit(r.kind) == 0 {
			return
		}
		loc := r.expr().find(rest)
		if loc == nil {
			return
		}
		to := i + len(strings.TrimRight(s.text[i:i+loc[1]], ` ,;:.!?()"`)) // without the end of the clause
		if r.role != gives {
			role[r.role] = max(role[r.role], to)
		} else if r.asked || !s.questioned(to, bit(r.kind)) {
			found[r.kind] = max(found[r.kind], to)
		}
	})
	then := anywhere
	remembered := found[index(Remember)] // within "don't forget" nothing is corrected
	switch {
	case role[innocent] > 0:
		next = max(next, role[innocent])
	case remembered > 0:
		next = max(next, remembered)
	case role[joint] >= next:
		next, then = role[joint], max(s.at, clause)
	case role[opener] >= next:
		next, then = role[opener], s.at
	}
	s.at = then
	for k, to := range found {
		if to > role[innocent] && !s.signal(bit(k), i, to) {
			return 0, false
		}
	}
	return next, true
}

// sentenceEnd returns the index after the sign and the space that end a sentence after i, or the end of the text.
func sentenceEnd(text string, i int) int {
	for ; i+1 < len(text); i++ {
		if text[i+1] == ' ' && class[text[i]] == stops {
			return i + 2
		}
	}
	return len(text)
}

// questioned reports whether what ends at to is only asked, which makes it no preference, decision,
// error or confirmation. A confirmation is asked by its own clause only.
func (s *scanner) questioned(to int, k Set) bool {
	if k&^stated != 0 {
		return false
	}
	last := ' '
	for i, r := range s.text[to:] {
		switch r {
		case '?':
			return true
		case '!':
			return asking(last)
		case '.':
			if to+i+1 == len(s.text) || s.text[to+i+1] == ' ' {
				return asking(last)
			}
		case ',', ';':
			if k == confirmations {
				return asking(last)
			}
		}
		if !unicode.IsSpace(r) {
			last = r
		}
	}
	return asking(last)
}

// asking reports whether a last rune makes a question without a mark.
func asking(last rune) bool { return strings.ContainsRune("か吗嗎呢까", last) }
