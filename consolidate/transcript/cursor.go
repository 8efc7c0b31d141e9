package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A position is a place in the order of hits: by time, the newest first, then by session, then
// from the last line to the first.
type position struct {
	Time    int64 // nanoseconds since 1970
	Session string
	Line    int
	Place   int
}

// before reports whether a hit at p is shown before one at q.
func (p position) compare(q position) int {
	switch {
	case p.Time != q.Time:
		return sign(q.Time > p.Time)
	case p.Session != q.Session:
		return strings.Compare(p.Session, q.Session)
	case p.Line != q.Line:
		return sign(q.Line > p.Line)
	case p.Place != q.Place:
		return sign(q.Place > p.Place)
	}
	return 0
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}

// A cursor is what a page hands to the next: the query that it belongs to, and its last hit. It needs
// nothing kept by the server, and holds across a restart. As text it is a sum over both, then the
// place: some 46 characters, since a model repeats them. Whoever changes one by hand is refused; whoever
// computes a sum for a place of his own has named a place, which does no harm.
type cursor struct {
	Query [8]byte
	After position
}

// cursorSum is how many bytes of a SHA-256 a cursor begins with.
const cursorSum = 6

// digest identifies a query by what decides its hits and is the same from page to page. The times
// are left out: a caller may count them back from the present.
func (q Query) digest() (sum [8]byte) {
	speakers := slices.Sorted(slices.Values(q.Speakers))
	said, err := json.Marshal([]any{q.Pattern, q.Patterns, q.Signals, q.Regex, q.CaseSensitive, slices.Compact(speakers), q.Session, q.Fold})
	if err != nil {
		return sum // strings, booleans and pointers to them always marshal
	}
	full := sha256.Sum256(said)
	copy(sum[:], full[:])
	return sum
}

func (c cursor) String() string {
	at := c.place()
	return base64.RawURLEncoding.EncodeToString(append(c.sum(at), at...))
}

// place is the position in bytes: the time, the line, the place and whether the session's name is that
// of nearly every session, a UUID, which is encoded in its 16 bytes.
func (c cursor) place() []byte {
	p := c.After
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Time))
	b = binary.AppendUvarint(b, uint64(p.Line))
	if uuid, ok := uuidBytes(p.Session); ok {
		return append(binary.AppendUvarint(b, uint64(p.Place)<<1|1), uuid...)
	}
	return append(binary.AppendUvarint(b, uint64(p.Place)<<1), p.Session...)
}

func (c cursor) sum(place []byte) []byte {
	full := sha256.Sum256(append(c.Query[:], place...))
	return full[:cursorSum:cursorSum]
}

// uuidBytes returns the bytes of a UUID that is written as uuidText writes it.
func uuidBytes(name string) ([]byte, bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(name, "-", ""))
	return b, err == nil && len(b) == 16 && uuidText(b) == name
}

func uuidText(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// parseCursor reads the cursor of a query; it returns nil for none.
func parseCursor(q Query) (*position, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if c := (cursor{Query: q.digest()}); err == nil && len(b) > cursorSum+8 && string(c.sum(b[cursorSum:])) == string(b[:cursorSum]) {
		b = b[cursorSum:]
		p := position{Time: int64(binary.BigEndian.Uint64(b))}
		line, n := binary.Uvarint(b[8:])
		b = b[8+max(n, 0):]
		place, m := binary.Uvarint(b)
		b = b[max(m, 0):]
		p.Line, p.Place, p.Session = int(line), int(place>>1), string(b)
		if place&1 == 1 && len(b) == 16 {
			p.Session = uuidText(b)
		}
		return &p, nil
	}
	return nil, &QueryError{Field: "cursor", Message: "it is none that this query gave"}
}

// lastYear is the last whole year that nanoseconds can hold; the first is 1678.
const lastYear = 2261

// nanoseconds is a time as a number that orders as times do; what lies beyond the numbers is no time that
// a session had.
func nanoseconds(t time.Time) int64 {
	if y := t.Year(); y < 1678 || y > lastYear {
		return 0
	}
	return t.UnixNano()
}
