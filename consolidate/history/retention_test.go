package history

import (
	"errors"
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
		{"landed by a clock that was ahead", append(many("dream", 20, 400), "dream -400 1"), 1000, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := state.Open(t.TempDir(), state.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for i, op := range test.ops {
				o := state.Operation{ID: fmt.Sprintf("%03d", i), State: "landed"}
				var age int
				rest := strings.TrimSuffix(op, "-")
				if _, err := fmt.Sscanf(rest, "%s %d %d", &o.Kind, &age, &o.Bytes); err != nil {
					t.Fatal(err)
				}
				o.Landed, o.OnlyCopy = start.AddDate(0, 0, -age), rest != op
				if err := db.Operations().Save(&o, nil, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			h := History{MaxArchive: test.limit}
			bytes, err := db.Operations().Prune(h.retention(), start)
			left, idsErr := db.Operations().IDs()
			use, useErr := db.Operations().Use()
			if err := errors.Join(err, idsErr, useErr); err != nil || use.Bytes != bytes || len(left) != use.Dreams+use.Others {
				t.Errorf("%d bytes and %v are left, of which %+v, %v", bytes, left, use, err)
			}
			if len(left) != len(test.ops)-test.gone || left[0] != fmt.Sprintf("%03d", test.gone) {
				t.Errorf("%v are left", left)
			}
		})
	}
}
