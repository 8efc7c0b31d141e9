package rank

import (
	"strings"
	"unicode/utf8"
)

// Classes of bytes, so that most of a text costs one look-up a byte.
const (
	gap    = iota
	letter // or a digit
	joint  // an underscore: within an identifier, between its words
	high   // not ASCII
)

var class = func() (class [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			class[c] = letter
		case c == '_':
			class[c] = joint
		case c >= utf8.RuneSelf:
			class[c] = high
		}
	}
	return class
}()

// eachWord calls do with each word of a text and each run of a dense script. A word does not begin with an underscore.
func eachWord(text string, do func(start, end int, dense bool)) {
	for i := 0; i < len(text); {
		start, dense := i, false
		switch class[text[i]] {
		case gap, joint:
			i++
			continue
		case high:
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			if dense = isDense(r); !dense && !isWord(r) {
				continue
			}
		}
		for i < len(text) {
			for !dense && i < len(text) && class[text[i]] == letter {
				i++
			}
			if i == len(text) || class[text[i]] == gap || dense && class[text[i]] != high {
				break
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			if r != '_' && (isDense(r) != dense || !dense && !isWord(r)) {
				break
			}
			i += size
		}
		do(start, i, dense)
	}
}

// A token is a word of the query, or a run of a dense script.
type token struct {
	text  string
	dense bool
	opens bool // it begins a sentence
}

func tokenize(text string) (tokens []token) {
	last := 0
	eachWord(text, func(start, end int, dense bool) {
		opens := tokens == nil || strings.ContainsAny(text[last:start], ".?!:;\n")
		tokens, last = append(tokens, token{text[start:end], dense, opens}), end
	})
	return tokens
}
