package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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
// nothing kept by the server, and holds across a restart.
type cursor struct {
	Query [8]byte
	After position
}

// digest tells queries apart by what decides their hits and is the same from page to page. The times
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
	text, _ := json.Marshal(c) // plain values always marshal
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads the cursor of a query; it returns nil for none.
func parseCursor(q Query) (*position, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	c := cursor{}
	if err != nil || json.Unmarshal(text, &c) != nil {
		return nil, &QueryError{Field: "cursor", Message: "it is none that a search gave"}
	}
	if c.Query != q.digest() {
		return nil, &QueryError{Field: "cursor", Message: "it belongs to another query"}
	}
	return &c.After, nil
}

// at is the position of an utterance.
func (u *utterance) position() position {
	return position{Time: nanoseconds(u.Time), Session: u.Session, Line: u.Line, Place: u.place}
}

// nanoseconds is a time as a number that orders as times do; what lies beyond the numbers (1678 to
// 2262) is no time that a session had.
func nanoseconds(t time.Time) int64 {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0
	}
	return t.UnixNano()
}
