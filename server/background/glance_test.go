package background

import (
	"testing"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
)

func TestWordOf(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	dreaming := func(phase string, left time.Duration, staged ...string) *consolidate.OpenDream {
		return &consolidate.OpenDream{Phase: phase, Expires: now.Add(left), Staged: staged}
	}
	last := func(outcome ops.Outcome, ago time.Duration, undone bool) *consolidate.LastDream {
		return &consolidate.LastDream{Ended: now.Add(-ago), Outcome: outcome, Undone: undone, Changes: "2 memories corrected, 1 removed"}
	}
	for name, row := range map[string]struct {
		p    consolidate.Snapshot
		off  bool
		want string
	}{
		"nothing is known":     {want: ""},
		"dreaming":             {p: consolidate.Snapshot{State: consolidate.State{Dream: dreaming("orienting", time.Minute)}}, want: "dreaming (orienting)"},
		"dreaming, though off": {p: consolidate.Snapshot{State: consolidate.State{Dream: dreaming("", time.Minute)}}, off: true, want: "dreaming"},
		"staged": {p: consolidate.Snapshot{State: consolidate.State{Dream: dreaming("gathering", time.Minute, "a.md", "b.md"), Due: true}},
			want: "dreaming (gathering, 2 staged)"},
		"expired":          {p: consolidate.Snapshot{State: consolidate.State{Dream: dreaming("gathering", -time.Minute)}}, want: ""},
		"its process died": {p: consolidate.Snapshot{State: consolidate.State{Dream: dreaming("gathering", time.Minute)}, Dead: true}, want: ""},
		"dreamed": {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Committed, 2*time.Hour, false)}},
			want: "dreamed 2 hours ago: 2 memories corrected, 1 removed"},
		"dreamed, off": {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Committed, 2*time.Hour, false)}}, off: true, want: ""},
		"undone":       {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Committed, time.Hour, true)}}, want: ""},
		"long ago":     {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Committed, 30*time.Hour, false)}}, want: ""},
		"failed":       {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Crashed, time.Minute, false)}}, want: ""},
		"it waits": {p: consolidate.Snapshot{State: consolidate.State{Last: last(ops.Proposed, 90*time.Hour, false)}},
			off: true, want: "dream: waits for you (dream-mcp review)"},
		"due":      {p: consolidate.Snapshot{State: consolidate.State{Due: true, Last: last(ops.Committed, 30*time.Hour, false)}}, want: "dream: due"},
		"due, off": {p: consolidate.Snapshot{State: consolidate.State{Due: true}}, off: true, want: ""},
	} {
		row.p.Time = now
		if got := wordOf(row.p, !row.off, 24); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
