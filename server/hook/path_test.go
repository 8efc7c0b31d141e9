package hook

import (
	"os"
	"path/filepath"
	"testing"
)

// Links lead where package path/filepath has them lead.
func TestLeads(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"a/b/c", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range [][2]string{ // from, to
		{"up", ".."}, {"a/b/out", "../../d"}, {"d/in", "../a/b/c"}, {"whole", filepath.Join(dir, "a", "b")}, {"twice", "whole/out/in"}, {"self", "self"},
		{"ping", "pong"}, {"pong", "./ping"}, {"gone", "no/such"}, {"a/far", "../../../../../../../../../../../../../.."}, {"slashes", "a//b/./"}, {"through", "whole/../d"},
	} {
		if err := os.Symlink(link[1], filepath.Join(dir, link[0])); err != nil {
			t.Skip(err)
		}
	}
	for _, path := range []string{
		"", "a", "a/b/c", "up", "up/up", "a/b/out", "a/b/out/in", "d/in", "whole", "whole/c", "whole/out/in", "twice", "self", "self/x", "ping", "gone", "gone/x",
		"a/far", "slashes", "slashes/c", "through", "through/in", "none", "none/x",
	} {
		path = filepath.Join(dir, path)
		want, err := filepath.EvalSymlinks(path)
		if got := leads(path); (got == "") != (err != nil) || got != "" && filepath.Clean(got) != want {
			t.Errorf("%s leads to %q, want %q, %v", path, got, want, err)
		}
	}
}
