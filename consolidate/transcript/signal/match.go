package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word that is looked up in a class, in bytes.
const maxWord = 32

// match reports whether the elements follow at i, and where they end; bound says that a word has to
// end at i.
func (l *listener) match(i int, rest []element, bound bool) (to int, ok bool) {
	for n, e := range rest {
		if bound && e.op != literal && e.op != stem && l.goesOn(i) {
			return 0, false
		}
		bound = false
		switch e.op {
		case literal:
			if !l.has(i, e.text) {
				return 0, false
			}
			i += len(e.text)
			bound = e.bound
		case oneOf, suffix:
			var buffer [maxWord]byte
			word := l.next(i, &buffer)
			if len(word) == 0 || e.op == oneOf && !e.words[string(word)] || e.op == suffix && !strings.HasSuffix(string(word), e.text) {
				return 0, false
			}
			i += len(word)
		case stem:
			var buffer [maxWord]byte
			i += len(l.next(i, &buffer))
		case end:
			if !l.ends(i) {
				return 0, false
			}
		case gap:
			return l.gap(i, rest[n+1:])
		}
	}
	return i, !bound || !l.goesOn(i)
}

// gap looks for the elements behind anything within the sentence.
func (l *listener) gap(i int, rest []element) (to int, ok bool) {
	if len(rest) == 0 {
		return i, true
	}
	for j := i; j < len(l.text) && j-i < maxGap; j++ {
		c := l.text[j]
		switch {
		case !utf8.RuneStart(c):
			continue
		case strings.HasPrefix(l.text[j:], "。"), c == '!' || c == '?', c == '.' && strings.HasPrefix(l.text[j+1:], " "):
			return 0, false
		case class[c] == letter && j > 0 && class[l.text[j-1]] == letter:
			continue // within a word
		}
		if to, ok := l.match(j, rest, false); ok {
			return to, true
		}
	}
	if rest[0].op == end && len(l.text)-i < maxGap {
		return len(l.text), true
	}
	return 0, false
}

// has reports whether a literal, which is in lower case, stands at i.
func (l *listener) has(i int, words string) bool {
	if len(l.text)-i < len(words) {
		return false
	}
	for n := 0; n < len(words); n++ {
		if fold(l.text, i+n) != words[n] {
			return false
		}
	}
	return true
}

// next is the word at i in lower case, or nothing: one of letters and digits, which an apostrophe or
// a hyphen may join.
func (l *listener) next(i int, buffer *[maxWord]byte) []byte {
	n := 0
	for i+n < len(l.text) && n < maxWord {
		c := l.text[i+n]
		if class[c] != letter && c < utf8.RuneSelf && (c != '\'' && c != '-' && c != '`' || n == 0 && c != '`') {
			break
		}
		buffer[n] = fold(l.text, i+n)
		n++
	}
	return buffer[:n]
}

// goesOn reports whether the word before i is part of what stands at i.
func (l *listener) goesOn(i int) bool {
	if i >= len(l.text) {
		return false
	}
	c := l.text[i]
	switch {
	case class[c] == letter:
		return true
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(l.text[i:])
		return r < 0x250 && unicode.IsLetter(r)
	}
	return strings.IndexByte("-./'(=\\@", c) >= 0 && i+1 < len(l.text) && (class[l.text[i+1]] == letter || c == '(')
}

// ends reports whether a clause ends at i.
func (l *listener) ends(i int) bool {
	for _, r := range l.text[i:] {
		switch {
		case unicode.IsSpace(r), r == '"', r == '\'':
			continue
		case r < utf8.RuneSelf:
			return strings.ContainsRune(",.!?;:()~", r)
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return true
}
