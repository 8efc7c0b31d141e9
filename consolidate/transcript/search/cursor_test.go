package search

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
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
		got, err := q.parseCursor()
		if err != nil || *got != want {
			t.Fatalf("%q: %+v, %v; want %+v", q.Cursor, got, err, want)
		}
		q.Pattern += "s"
		if got, err := q.parseCursor(); err == nil {
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
		if p, err := (&Query{Pattern: "lamp", Cursor: text}).parseCursor(); err == nil && text != "" && (p.Line < 0 || p.Place < 0) {
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

// A cursor keeps the limit.
func TestCursorKeepsTheLimit(t *testing.T) {
	f := fixture.Talk(1)
	for i := range 30 {
		f.User(fmt.Sprint("lamp ", i))
	}
	s := withCache(t, store(t, f))
	first := search(t, s, Query{Pattern: "lamp", Limit: 12})
	for cursor, want := range map[string]int{first.Next: 12, first.After(5): 12} {
		if r := search(t, s, Query{Pattern: "lamp", Cursor: cursor}); len(r.Hits) != want || r.Limit != 12 {
			t.Errorf("%d hits on the second page, limit %d; want %d", len(r.Hits), r.Limit, want)
		}
	}
	if r := search(t, s, Query{Pattern: "lamp", Cursor: first.After(5), Limit: 1}); len(r.Hits) != 1 || !strings.Contains(r.Hits[0].Before+r.Hits[0].Match+r.Hits[0].After, "lamp 24") {
		t.Errorf("%+v", r.Hits)
	}
}

// All pages of a search are the pages that its cursors give, and the sessions are read once for them.
func TestAllPages(t *testing.T) {
	f := fixture.Talk(1)
	for i := range 7 {
		f.User(fmt.Sprint("lamp ", i))
	}
	s := withCache(t, store(t, f))
	q := Query{Pattern: "lamp", Limit: 3}
	bytes, pages := int64(-1), 0
	err := s.Pages(t.Context(), q, func(page Result) bool {
		want := search(t, s, q)
		if q.Cursor = want.Next; len(page.Hits) != len(want.Hits) || page.Hits[0].ID != want.Hits[0].ID || page.Next != want.Next || page.Matches != 7 {
			t.Errorf("page %d: %+v, want %+v", pages, page, want)
		}
		if pages++; pages > 1 && page.Bytes != bytes {
			t.Errorf("%d bytes were read, then %d", bytes, page.Bytes)
		}
		bytes = page.Bytes
		return true
	})
	if err != nil || pages != 3 {
		t.Errorf("%d pages, %v", pages, err)
	}
}
