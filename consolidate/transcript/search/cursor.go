package search

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// A position is a place in the order of hits: by time, the newest first, then by session, then
// from the last line to the first.
type position struct {
	Time    int64  // nanoseconds since 1970
	Session string // as IDs have it
	Line    int
	Place   int
}

// compare orders hits.
func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(q.Time, p.Time), strings.Compare(p.Session, q.Session), cmp.Compare(q.Line, p.Line), cmp.Compare(q.Place, p.Place))
}

// A cursor is what a page hands to the next: a sum over the query, its last hit, and the limit. It needs nothing kept
// by the server, and holds across a restart. It is short, since a model repeats it.

// queryID identifies a query by what decides its hits and is the same from page to page. The times are left out: a
// caller may count them back from the present.
func (q Query) queryID() string {
	speakers := slices.Sorted(slices.Values(q.speakers()))
	what, err := json.Marshal([]any{q.Pattern, q.Patterns, q.Regex, q.CaseSensitive, slices.Compact(speakers), q.Session, q.Fold})
	if err != nil {
		return "" // strings, booleans and pointers to them always marshal
	}
	return fmt.Sprintf("%08x", uint32(said.SumOf(what)))
}

// cursor is the cursor of the page after a hit.
func (q Query) cursor(after position) string {
	return fmt.Sprintf("%s-%x-%x-%x-%x-%s", q.queryID(), uint64(after.Time), after.Line, after.Place, q.Limit, after.Session)
}

// parseCursor reads the cursor of a query; it returns nil for none. The limit of the cursor is the query's, unless that
// has one.
func (q *Query) parseCursor() (*position, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	fields := strings.SplitN(q.Cursor, "-", 6)
	if len(fields) == 6 && fields[0] == q.queryID() && len(q.Patterns) < 2 {
		at, err1 := strconv.ParseUint(fields[1], 16, 64)
		line, err2 := strconv.ParseUint(fields[2], 16, 31)
		place, err3 := strconv.ParseUint(fields[3], 16, 31)
		limit, err4 := strconv.ParseUint(fields[4], 16, 31)
		if err1 == nil && err2 == nil && err3 == nil && err4 == nil {
			q.Limit = cmp.Or(q.Limit, int(limit))
			return &position{Time: int64(at), Session: fields[5], Line: int(line), Place: int(place)}, nil
		}
	}
	return nil, &QueryError{Field: "cursor", Message: "it is none that this query gave"}
}
