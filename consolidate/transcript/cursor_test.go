package transcript

import (
	"math"
	"testing"
)

// FuzzCursor: a cursor is read as it was written, by its own query, and as nothing else.
func FuzzCursor(f *testing.F) {
	f.Add("lamp", id(1), int64(1_795_000_000_123_456_789), 1200, 1, 7)
	f.Add("lamp", "a plain name", int64(-1), 1, 2, 100)
	f.Add("lamp", "ABCDEF01-0000-4000-8000-000000000001", int64(0), math.MaxInt32, 1, 0)
	f.Add("lamp", "sixteen letters!", int64(math.MinInt64), 1, 1<<20, 40)
	f.Add("lamp", "", int64(math.MaxInt64), 0, 0, 40)
	f.Fuzz(func(t *testing.T, pattern, session string, time int64, line, place, flip int) {
		if line < 0 || place < 0 || place > math.MaxInt32 {
			t.Skip()
		}
		q := Query{Pattern: pattern}
		want := position{Time: time, Session: session, Line: line, Place: place}
		q.Cursor = cursor{Query: q.digest(), After: want}.String()
		got, err := parseCursor(q)
		if err != nil || *got != want {
			t.Fatalf("%q: %+v, %v; want %+v", q.Cursor, got, err, want)
		}
		other := q
		other.Pattern += "s"
		if got, err := parseCursor(other); err == nil {
			t.Errorf("another query took it for %+v", got)
		}
		changed := []byte(q.Cursor)
		at := uint(flip) % uint(len(changed)-1) // some of the last character's bits may stand for nothing
		if changed[at]++; changed[at] == q.Cursor[at] {
			t.Skip()
		}
		q.Cursor = string(changed)
		if got, err := parseCursor(q); err == nil {
			t.Errorf("%q was taken for %+v", q.Cursor, got)
		}
	})
}

// A model repeats a cursor: 60 characters are the most that it is to cost.
func TestCursorIsShort(t *testing.T) {
	c := cursor{After: position{Time: math.MaxInt64, Session: "ffffffff-ffff-4fff-bfff-ffffffffffff", Line: math.MaxInt32, Place: 9999}}
	if text := c.String(); len(text) > 60 {
		t.Errorf("%q has %d characters", text, len(text))
	}
}
