package consolidate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"dream-mcp/consolidate/ops"
)

// When reads a date, a time, or a span back from now such as 7d or 12h; "" is the zero time. With end, a date means the
// end of its day. Dates are of the machine's time zone, as the person means them. field names the argument in an error.
func When(field, s string, now time.Time, end bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		if end {
			t = t.AddDate(0, 0, 1)
		}
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n, err := strconv.Atoi(s[:len(s)-1]); err == nil && n > 0 {
		if unit, ok := units[s[len(s)-1]]; ok && time.Duration(n) <= math.MaxInt64/unit {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	return time.Time{}, ops.Refuse(fmt.Sprintf("%s: %q is neither a date, nor a span", field, s),
		"for example 2026-11-18, 2026-11-18T09:00:00Z, 7d, 12h; since also takes last_dream")
}
