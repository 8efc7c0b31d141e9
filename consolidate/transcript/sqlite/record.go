package sqlite

// A Value is one field of a row. The zero Value is null.
type Value struct {
	Int  int64  // of a whole number; else 0
	Text []byte // of a text, as it is stored: it need not be valid UTF-8; nil of what is not text

	kind kind
}

type kind byte

// The kinds, in the order in which an index has them.
const (
	null kind = iota
	number
	text
	blob
)

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

// values returns the fields of a row or a key, which is stored as a header of types, and the values after it; nil if it is
// longer than MaxRow.
func (s *Snapshot) values(c cell) (all []Value, err error) {
	record, err := s.payload(c)
	if record == nil || err != nil {
		return nil, err
	}
	length, n := uvarint(record)
	if n == 0 || length < uint64(n) || length > uint64(len(record)) {
		return nil, corrupt("a row's header of %d bytes", length)
	}
	types, body := record[n:length], record[length:]
	for len(types) > 0 {
		t, n := uvarint(types)
		v, size := Value{kind: number}, MaxRow+1
		if t < uint64(len(sizes)) {
			size = sizes[t]
		} else if t < 12+2*MaxRow {
			size = int(t-12) / 2
		}
		if n == 0 || size > len(body) {
			return nil, corrupt("a value of type %d", t)
		}
		p := body[:size:size]
		types, body = types[n:], body[size:]
		switch {
		case t == 0:
			v.kind = null
		case t == 7: // a floating-point number
		case t == 8 || t == 9:
			v.Int = int64(t - 8)
		case t < 7:
			v.Int = int64(int8(p[0]))
			for _, c := range p[1:] {
				v.Int = v.Int<<8 | int64(c)
			}
		case t%2 == 0:
			v.kind = blob
		default:
			v.kind, v.Text = text, p
		}
		all = append(all, v)
	}
	return all, nil
}

// sizes are those of the types below 12, of which two are not used.
var sizes = [12]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, MaxRow + 1, MaxRow + 1}
