package transcript

import (
	"testing"
	"time"
)

// TestRootsThatChange: a session that was ours by a directory of its head is not when that is no root any more.
func TestRootsThatChange(t *testing.T) {
	f := talk(1).user("begin")
	f.cwd = "/home-dev/lighthouse" // another path, one slug
	f.user("go on")
	o := withDigests(t, store(t, f)).options
	for _, test := range []struct {
		root string
		want int
	}{{root, 1}, {f.cwd, 1}, {"/home/dev-lighthouse", 0}} {
		o.Roots = []string{test.root}
		if n, err := Open(o).Count(t.Context(), time.Time{}, 0); n != test.want || err != nil {
			t.Errorf("%d sessions of %q, %v; want %d", n, o.Roots, err, test.want)
		}
	}
}
