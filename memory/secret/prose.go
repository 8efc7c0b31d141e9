package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// followed reports whether prose may name a value after a name.
func (s *scan) followed(to int) bool {
	return to < len(s.text) && (strings.IndexByte(" \"'`*_]", s.text[to]) >= 0 || s.text[to] >= utf8.RuneSelf)
}

// copulas are the words that a value follows, in languages that have one.
var copulas = oneOf("is was are to now currently = := => -> : lautet ist jetzt est maintenant es è é ora agora jest je on är er este là " +
	"adalah token pw user:")

// aboutNames are the words that make of a password or a token before them something else.
var aboutNames = oneOf("usage count counts counting limit limits budget bucket savings optimization efficiency efficient parsing ids policy policies hash hashes hashing hasher field fields reset resets length rule rules strength manager generator input form " +
	"flow change changes expiry rotation requirement requirements protected protection based prompt dialog page validation validator check checks " +
	"encryption helper file hint format type regex login must should min max endpoint table column store storage")

// maxWords bounds the words between a name and its value.
const maxWords = 8

// prose notes the value that a sentence gives to a name: "the password for the lab is VALUE". Words are what is ASCII
// without spaces, so that they end where another script begins.
func (s *scan) prose(from, to int, how strength, kind string) {
	rest, _, _ := strings.Cut(s.near(to, maxBetween), "\n")
	rest, _, _ = strings.Cut(rest, `\n`)
	ev := spoken
	if how == weak {
		ev = nearby
	}
	for n, at := 0, 0; n < maxWords; n++ {
		for at < len(rest) && inWord(rest[at:]) == 0 { // signs and letters between the words
			r, size := utf8.DecodeRuneInString(rest[at:])
			switch {
			case strings.ContainsRune("。；;|⟨", r), isQuote(rest[at]) && at+1 < len(rest) && strings.IndexByte(",}])", rest[at+1]) >= 0:
				return
			case strings.ContainsRune("：「“«„→—–是為为は", r):
				ev = spoken
			}
			at += size
		}
		end := at
		for size := 1; end < len(rest) && size > 0; end += size {
			size = inWord(rest[end:])
		}
		word := rest[at:end]
		if word == "" || end == maxBetween {
			return
		}
		if quote := strings.IndexByte(rest[end:], '"'); at > 0 && rest[at-1] == '"' && quote > 0 && ev == spoken && how == login && passphrase(rest[at:end+quote]) {
			s.note(from, to, to+at, to+end+quote, kind)
			return
		}
		if n == 0 && aboutNames(strings.ToLower(strings.Trim(word, ":.)*_"))) || strings.HasPrefix(word, "==") || strings.HasPrefix(word, "!=") {
			return
		}
		value := strings.TrimRight(word, ".:)]}*_")
		if m := closing().FindStringIndex(value); m != nil {
			value = value[:m[0]]
		}
		if open := strings.TrimLeft(value, "([*_"); !isWord(open) && judgeValue(open, how, kind, ev) {
			start := to + at + len(value) - len(open)
			s.note(from, to, start, start+len(open), kind)
			return
		}
		if how == weak && n > 1 || strings.HasSuffix(word, ".") || strings.Contains(word, strings.TrimSpace(maskOpen)) {
			return
		}
		ev = nearby
		if copulas(strings.ToLower(word)) || strings.ContainsAny(word[len(word)-1:], ":=") || strings.HasSuffix(strings.TrimRight(word, "*_"), ":") {
			ev = spoken
		}
		at = end
	}
}

// isWord reports whether a text is small letters alone, but for its first.
func isWord(text string) bool {
	return text == "" || strings.Trim(text[1:], "abcdefghijklmnopqrstuvwxyz'-") == ""
}

// inWord returns the size of a character that is part of a word or a value in prose, 0 if it is none: signs and the
// letters of scripts without spaces are between words.
func inWord(text string) int {
	if c := text[0]; c < utf8.RuneSelf {
		if c <= ' ' || strings.IndexByte("\"'`<>,;|\\", c) >= 0 {
			return 0
		}
		return 1
	}
	if r, size := utf8.DecodeRuneInString(text); unicode.IsLetter(r) && r < 0x370 || 0x1e00 <= r && r < 0x1f00 {
		return size
	}
	return 0
}
