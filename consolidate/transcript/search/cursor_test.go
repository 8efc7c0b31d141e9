package search

import (
	"math"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
)

// FuzzCursor: a cursor is read as it was written, by its own query, and by no other.
func FuzzCursor(f *testing.F) {
	f.Add("lamp", fixture.ID(1), int64(1_795_000_000_123_456_789), 1200, 1)
	f.Add("lamp", "a plain name", int64(-1), 1, 2)
	f.Add("lamp", "a-b-c", int64(math.MinInt64), 1, 1<<20)
	f.Add("lamp", "", int64(math.MaxInt64), 0, 0)
	f.Fuzz(func(t *testing.T, pattern, session string, time int64, line, place int) {
		line, place = line&math.MaxInt32, place&math.MaxInt32
		q := Query{Pattern: pattern}
		want := position{Time: time, Session: session, Line: line, Place: place}
		q.Cursor = q.cursor(want)
		got, err := parseCursor(q)
		if err != nil || *got != want {
			t.Fatalf("%q: %+v, %v; want %+v", q.Cursor, got, err, want)
		}
		q.Pattern += "s"
		if got, err := parseCursor(q); err == nil {
			t.Errorf("another query took it for %+v", got)
		}
	})
}

// FuzzAnyCursor: whatever a cursor is, it is a place or it is refused.
func FuzzAnyCursor(f *testing.F) {
	for _, text := range []string{"x", "----", "00000000-1-1-1-x", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := parseCursor(Query{Pattern: "lamp", Cursor: text}); err == nil && text != "" && (p.Line < 0 || p.Place < 0) {
			t.Errorf("%q: %+v", text, p)
		}
	})
}

// A model repeats a cursor: 60 characters are the most that it is to cost.
func TestCursorIsShort(t *testing.T) {
	at := position{Time: math.MaxInt64, Session: said.ShortID("ffffffff-ffff-4fff-bfff-ffffffffffff"), Line: math.MaxInt32, Place: 9999}
	if text := (Query{}).cursor(at); len(text) > 60 {
		t.Errorf("%q has %d characters", text, len(text))
	}
}
