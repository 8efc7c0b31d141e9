package said

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A raw is an encoded JSON value, valid as long as its line; nil where there is none.
type raw []byte

// text is the string that a value is, or "". What is not valid UTF-8, and half of a surrogate pair,
// become U+FFFD, as encoding/json has it. A backslash that escapes nothing, and a control, are kept.
func (v raw) text() string {
	if !v.isString() {
		return ""
	}
	return unquote(v[1 : len(v)-1])
}

// unquote decodes what is between the quotes of a string.
func unquote(s []byte) string {
	valid := utf8.Valid(s)
	i := bytes.IndexByte(s, '\\')
	if i < 0 && valid {
		return string(s)
	}
	var text strings.Builder
	text.Grow(len(s))
	for {
		plain := s
		if i >= 0 {
			plain = s[:i]
		}
		if valid {
			text.Write(plain)
		} else {
			writeValid(&text, plain)
		}
		if i < 0 {
			return text.String()
		}
		s = writeEscaped(&text, s[i:])
		i = bytes.IndexByte(s, '\\')
	}
}

// validText is bytes as text, which is valid UTF-8.
func validText(s []byte) string {
	if utf8.Valid(s) {
		return string(s)
	}
	var text strings.Builder
	writeValid(&text, s)
	return text.String()
}

// writeValid writes bytes as text: U+FFFD for each that is invalid.
func writeValid(text *strings.Builder, s []byte) {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		text.WriteRune(r)
		s = s[size:]
	}
}

// writeEscaped decodes the escape at the head of s, and returns what follows it.
func writeEscaped(text *strings.Builder, s []byte) (rest []byte) {
	if c := unescape[s[1]]; c != 0 {
		text.WriteByte(c)
		return s[2:]
	}
	r, ok := rune(0), false
	if s[1] == 'u' {
		r, ok = Hex4(s[2:])
	}
	if !ok {
		text.WriteByte('\\')
		return s[1:]
	}
	s = s[6:]
	if utf16.IsSurrogate(r) {
		second := rune(utf8.RuneError)
		if bytes.HasPrefix(s, []byte(`\u`)) {
			second, _ = Hex4(s[2:])
		}
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			s = s[6:]
		}
	}
	text.WriteRune(r)
	return s
}

func (v raw) isString() bool { return len(v) >= 2 && v[0] == '"' }

func (v raw) isTrue() bool { return string(v) == "true" }

// plain returns the bytes of a string that are its text, if it has no escapes.
func (v raw) plain() (text []byte, ok bool) {
	if !v.isString() || bytes.IndexByte(v, '\\') >= 0 {
		return nil, false
	}
	return v[1 : len(v)-1], true
}

// is reports whether a value is a string of such a text, in ASCII.
func (v raw) is(text string) bool {
	if plain, ok := v.plain(); ok {
		return string(plain) == text
	}
	return v.isString() && v.text() == text
}

// ends reports whether a value is a string that ends so, in ASCII.
func (v raw) ends(suffix string) bool {
	if plain, ok := v.plain(); ok {
		return bytes.HasSuffix(plain, []byte(suffix))
	}
	return strings.HasSuffix(v.text(), suffix)
}

// empty reports whether a value is an empty string, or not a string.
func (v raw) empty() bool { return !v.isString() || len(v) == 2 }

// quoted is a text as a value; nil for an empty one.
func quoted(text string) raw {
	if text == "" {
		return nil
	}
	v := append(make(raw, 0, len(text)+2), '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			v = append(v, '\\', c)
		case c == '\n':
			v = append(v, `\n`...)
		case c == '\t':
			v = append(v, `\t`...)
		case c == '\r':
			v = append(v, `\r`...)
		case c < ' ':
			v = fmt.Appendf(v, `\u%04x`, c)
		default:
			v = append(v, c)
		}
	}
	return append(v, '"')
}
