package sqlite

import "bytes"

// A Value is one field of a row. The zero Value is null.
type Value struct {
	kind kind
	n    int64
	text []byte
}

type kind byte

// The kinds, in the order in which an index has them.
const (
	null kind = iota
	number
	text
	blob
)

// Int is a whole number; 0 of what is none.
func (v Value) Int() int64 { return v.n }

// Text is a text, as it is stored: that it is valid UTF-8 is not known. Of what is not text it is empty.
func (v Value) Text() []byte {
	if v.kind != text {
		return nil
	}
	return v.text
}

// compare says where a value is in an index relative to a text: below, at, or above it.
func (v Value) compare(other string) int {
	if v.kind != text {
		return int(v.kind) - int(text)
	}
	return bytes.Compare(v.text, []byte(other))
}

// uvarint reads a number of up to nine bytes, and how long it is; 0: it is cut off.
func uvarint(p []byte) (n uint64, length int) {
	for i := range min(len(p), 9) {
		if i == 8 {
			return n<<8 | uint64(p[i]), 9
		}
		if n = n<<7 | uint64(p[i]&0x7f); p[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// A record is a row, or a key of an index, as it is stored: a header of types, and the values after it.
type record []byte

// values calls value with each in turn, until it says that this is enough.
func (r record) values(value func(i int, v Value) (more bool)) error {
	length, n := uvarint(r)
	if n == 0 || length < uint64(n) || length > uint64(len(r)) {
		return corrupt("a row's header of %d bytes", length)
	}
	types, body := r[n:length], r[length:]
	for i := 0; len(types) > 0; i++ {
		t, n := uvarint(types)
		if n == 0 {
			return corrupt("a type is cut off")
		}
		types = types[n:]
		v, size, err := typed(t, body)
		if err != nil {
			return err
		}
		if body = body[size:]; !value(i, v) {
			return nil
		}
	}
	return nil
}

// sizes are those of the types below 10.
var sizes = [10]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}

// typed reads the value of a type at the head of what is left of a record.
func typed(t uint64, body []byte) (v Value, size int, err error) {
	switch {
	case t == 10 || t == 11 || t > 12+2*uint64(MaxRow):
		return v, 0, corrupt("a value of type %d", t)
	case t >= 12:
		size = int(t-12) / 2
	default:
		size = sizes[t]
	}
	if size > len(body) {
		return v, 0, corrupt("a value of %d bytes, of which %d are there", size, len(body))
	}
	switch {
	case t == 0:
	case t >= 12:
		v = Value{kind: blob - kind(t&1), text: body[:size:size]}
	case t == 7:
		v.kind = number // a floating-point number, which nobody asks for
	case t >= 8:
		v = Value{kind: number, n: int64(t - 8)}
	default:
		v.kind, v.n = number, int64(int8(body[0]))
		for _, c := range body[1:size] {
			v.n = v.n<<8 | int64(c)
		}
	}
	return v, size, nil
}
