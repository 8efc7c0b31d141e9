package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/testdata/fixture"
)

// TestRootsThatChange: a session that is ours by a directory of its head is not ours when that directory is no longer a
// root.
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

// TestNestedRepositories: a session in another repository below the project is not the project's; a worktree is, that
// is a root too.
func TestNestedRepositories(t *testing.T) {
	root := t.TempDir()
	shop, plain := filepath.Join(root, "shop", "api"), filepath.Join(root, "notes")
	for _, dir := range []string{shop, plain, filepath.Join(root, "shop", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		cwd  string
		more []string
		want int
	}{{root, nil, 1}, {plain, nil, 1}, {filepath.Join(root, "gone"), nil, 1}, {shop, nil, 0}, {shop, []string{filepath.Join(root, "shop")}, 1}} {
		f := fixture.Talk(1)
		f.CWD = test.cwd
		o := Options{Projects: t.TempDir(), Roots: append([]string{root}, test.more...)}
		fixture.Put(t, o.Projects, Slug(root)+"/"+f.Session+".jsonl", f.User("begin").Text(), 1)
		if n, err := Open(o).Count(t.Context(), time.Time{}, 0); n != test.want || err != nil {
			t.Errorf("%q, %q: %d sessions, %v; want %d", test.cwd, test.more, n, err, test.want)
		}
	}
}
