package hook

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// The JSON of hosts and of our own notes is read here by its quotes and brackets, without encoding/json: that would have to be
// initialised before us, with all that it imports, and its reflection costs as much again (`go run ./server/hook/bench`).
// What encoding/json accepts is told alike (FuzzValue); of what it refuses something may be told.

// A value is a JSON value as it stands; empty where there is none.
type value []byte

const space = " \t\r\n"

// parse returns the value that a text begins with, and what is behind it.
func parse(text []byte) (v value, rest []byte) {
	text = bytes.TrimLeft(text, space)
	end := behind(text)
	return text[:end], text[end:]
}

// is reports whether a value is an object, '{', a list, '[', or a string, '"'.
func (v value) is(kind byte) bool { return len(v) > 0 && v[0] == kind }

// behind returns the place behind the value at the head of a text, 0 where it has no end.
func behind(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 && i < len(text) {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	if depth > 0 || value(text).is('"') {
		return 0
	}
	return len(text)
}

// parts returns what an object or a list holds: of an object names and values in turn.
func (v value) parts() (parts []value) {
	parts = make([]value, 0, 16)
	for rest := v[1:]; ; {
		var part value
		if part, rest = parse(bytes.TrimLeft(rest, space+",:")); len(part) == 0 {
			return parts
		}
		parts = append(parts, part)
	}
}

// An object is the names and values of one, in turn.
type object []value

// object returns what an object holds, nil of any other value.
func (v value) object() object {
	if !v.is('{') {
		return nil
	}
	parts := v.parts()
	return object(parts[:len(parts)&^1])
}

// at returns the value of the last field of that name. For so few fields a map costs more than it saves.
func (o object) at(name string) value {
	for i := len(o) - 2; i >= 0; i -= 2 {
		if v := o[i]; v.is('"') && (string(v[1:len(v)-1]) == name || v.text() == name) {
			return o[i+1]
		}
	}
	return nil
}

// list returns what a list holds, nil of any other value.
func (v value) list() []value {
	if !v.is('[') {
		return nil
	}
	return v.parts()
}

// texts returns the strings that a list holds.
func (v value) texts() (texts []string) {
	for _, item := range v.list() {
		texts = append(texts, item.text())
	}
	return texts
}

// text returns the string that a value is, "" of any other. What is no UTF-8, and half of a surrogate pair, becomes U+FFFD.
func (v value) text() string {
	if !v.is('"') {
		return ""
	}
	s := v[1 : len(v)-1]
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return string(s)
	}
	var text []byte
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r == '\\' { // which is never the last: it would escape the quote
			r, size = escaped(s)
		}
		text = utf8.AppendRune(text, r)
		s = s[size:]
	}
	return string(text)
}

// escaped returns what the escape at the head of s stands for, and its length.
func escaped(s []byte) (rune, int) {
	if i := bytes.IndexByte([]byte("bfnrt"), s[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), 2
	}
	r, ok := unit(s)
	if !ok {
		return rune(s[1]), 2
	}
	if second, ok := unit(s[6:]); ok && utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6 // AppendRune makes U+FFFD of half a pair
}

// unit returns the UTF-16 of an escape \uXXXX.
func unit(s []byte) (rune, bool) {
	if len(s) < 6 || string(s[:2]) != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}

// holds reports whether a value is true.
func (v value) holds() bool { return string(v) == "true" }

func (v value) number() float64 {
	n, _ := strconv.ParseFloat(string(v), 64)
	return n
}

func (v value) time() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, v.text())
	return t
}

// readObject reads one object of at most limit bytes, and does not wait for the end of r.
func readObject(r io.Reader, limit int64) (value, error) {
	r = io.LimitReader(r, limit)
	text := make([]byte, 0, 32<<10)
	for {
		text = slices.Grow(text, 1+len(text))
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil || bytes.HasSuffix(bytes.TrimRight(text, space), []byte("}")) {
			if v, _ := parse(text); v.is('{') {
				return v, nil
			}
		}
		if err == io.EOF {
			return nil, errors.New("the event is no whole JSON object")
		}
		if err != nil {
			return nil, err
		}
	}
}
