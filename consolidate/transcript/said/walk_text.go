package said

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Raw is an encoded JSON value, valid as long as its line; nil where there is none.
type Raw []byte

// Text is the string that a value is, or "". What is not valid UTF-8, and half of a surrogate pair,
// become U+FFFD, as encoding/json has it. A backslash that escapes nothing, and a control, are kept.
func (v Raw) Text() string {
	if !v.IsString() {
		return ""
	}
	return unquote(v[1 : len(v)-1])
}

// unquote decodes what is between the quotes of a string.
func unquote(s []byte) string {
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return validText(s)
	}
	if !utf8.Valid(s) {
		s = []byte(validText(s))
		i = bytes.IndexByte(s, '\\')
	}
	var text strings.Builder
	text.Grow(len(s))
	for ; i >= 0; i = bytes.IndexByte(s, '\\') {
		text.Write(s[:i])
		s = writeEscaped(&text, s[i:])
	}
	text.Write(s)
	return text.String()
}

// validText is bytes as text, with U+FFFD for each that is not valid UTF-8.
func validText(s []byte) string {
	if utf8.Valid(s) {
		return string(s)
	}
	return strings.Map(func(r rune) rune { return r }, string(s))
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

func (v Raw) IsString() bool { return len(v) >= 2 && v[0] == '"' }

func (v Raw) IsTrue() bool { return string(v) == "true" }

// plain returns the bytes of a string that are its text, if it has no escapes.
func (v Raw) plain() (text []byte, ok bool) {
	if !v.IsString() || bytes.IndexByte(v, '\\') >= 0 {
		return nil, false
	}
	return v[1 : len(v)-1], true
}

// Is reports whether a value is a string of such a text, in ASCII.
func (v Raw) Is(text string) bool {
	if plain, ok := v.plain(); ok {
		return string(plain) == text
	}
	return v.IsString() && v.Text() == text
}

// ends reports whether a value is a string that ends so, in ASCII.
func (v Raw) ends(suffix string) bool {
	if plain, ok := v.plain(); ok {
		return bytes.HasSuffix(plain, []byte(suffix))
	}
	return strings.HasSuffix(v.Text(), suffix)
}

// Empty reports whether a value is an empty string, or not a string.
func (v Raw) Empty() bool { return !v.IsString() || len(v) == 2 }

// Quoted is a text as a value; nil for an empty one.
func Quoted(text string) Raw {
	if text == "" {
		return nil
	}
	v, _ := json.Marshal(text) // a string has no error
	return v
}
