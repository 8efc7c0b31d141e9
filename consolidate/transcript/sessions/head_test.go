package sessions

import (
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/bench/fixture"
)

// TestRootsThatChange: a session that is ours by a directory of its head is not ours when that directory is no longer a root.
func TestRootsThatChange(t *testing.T) {
	f := fixture.Talk(1).User("begin")
	f.CWD = "/home-dev/lighthouse" // another path, one slug
	f.User("go on")
	o := project(t, f).Options
	for _, test := range []struct {
		root string
		want int
	}{{fixture.Root, 1}, {f.CWD, 1}, {"/home/dev-lighthouse", 0}} {
		o.Roots = []string{test.root}
		if n, err := Open(o).Count(t.Context(), time.Time{}, 0); n != test.want || err != nil {
			t.Errorf("%d sessions of %q, %v; want %d", n, o.Roots, err, test.want)
		}
	}
}
