package history

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/state"
)

var start = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

// Each row is an archive, the oldest first, and what is kept of it. An operation is written as its
// kind, its age in days, its size, and "-" where it deleted something.
func TestKept(t *testing.T) {
	many := func(kind string, n, age int) (ops []string) {
		for i := range n {
			ops = append(ops, fmt.Sprintf("%s %d 1", kind, age-i))
		}
		return ops
	}
	for _, test := range []struct {
		name  string
		ops   []string
		limit int64
		gone  int // of the oldest
	}{
		{"all are young", many("dream", 80, 89), 1000, 0},
		{"all are old, and few", many("dream", 20, 900), 1000, 0},
		{"many old ones", many("dream", 30, 900), 1000, 10},
		{"writes do not count as dreams", append(many("dream", 20, 900), many("write", 40, 60)...), 1000, 0},
		{"nor dreams as writes", append(many("write", 20, 900), many("dream", 40, 60)...), 1000, 0},
		{"old writes", append(many("write", 25, 900), many("dream", 1, 400)...), 1000, 5},
		{"90 days to the hour", []string{"dream 91 1"}, 1000, 0},
		{"over the limit", many("dream", 10, 50), 6, 4},
		{"the newest is over the limit", []string{"dream 2 5", "dream 1 50"}, 10, 1},
		{"and so is the newest dream", []string{"write 3 9", "dream 2 50", "write 1 50"}, 10, 1},
		{"what was deleted lately stays over the limit", []string{"write 29 50-", "dream 1 5"}, 10, 0},
		{"what was deleted long ago does not", []string{"write 31 50-", "dream 2 5", "dream 1 5"}, 10, 1},
		{"an old deletion among many", append([]string{"dream 900 1-"}, many("dream", 20, 400)...), 1000, 1},
		{"landed by a clock that was ahead", append([]string{"dream -400 1"}, many("dream", 20, 400)...), 1000, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var all []state.Operation
			for _, op := range test.ops {
				var kind string
				var age int
				var size int64
				rest := strings.TrimSuffix(op, "-")
				if _, err := fmt.Sscanf(rest, "%s %d %d", &kind, &age, &size); err != nil {
					t.Fatal(err)
				}
				all = append(all, state.Operation{ID: op, Kind: kind, Landed: start.AddDate(0, 0, -age), Bytes: size, OnlyCopy: rest != op})
			}
			for i, keep := range kept(all, test.limit, start) {
				if keep != (i >= test.gone) {
					t.Errorf("%d, %s: kept %t", i, test.ops[i], keep)
				}
			}
		})
	}
}
