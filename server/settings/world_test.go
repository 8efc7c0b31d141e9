package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// world creates files and an environment from a list of strings, and returns the directory that replaces $T in them:
//
//	"a/b => text"   a file
//	"a/b/"          a directory
//	"a/b -> c"      a link
//	"NAME=value"    a variable
//
// There is always a project home/p, which is the working directory, and the XDG folders are in xdg.
func world(t *testing.T, lines ...string) (Environment, string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{}
	base := []string{"home/p/", "XDG_CONFIG_HOME=$T/xdg/config", "XDG_DATA_HOME=$T/xdg/data", "XDG_STATE_HOME=$T/xdg/state"}
	for _, line := range append(base, lines...) {
		line = strings.ReplaceAll(line, "$T", filepath.ToSlash(top))
		if path, text, ok := strings.Cut(line, " => "); ok {
			path = filepath.Join(top, path)
			must(os.MkdirAll(filepath.Dir(path), 0o700))
			must(os.WriteFile(path, []byte(text), 0o600))
		} else if path, target, ok := strings.Cut(line, " -> "); ok {
			path = filepath.Join(top, path)
			must(os.MkdirAll(filepath.Dir(path), 0o700))
			must(os.Symlink(target, path))
			if _, err := os.Lstat(path); err != nil {
				t.Skip("NOT TESTED: this system made no link, and said that it had: ", err)
			}
		} else if name, value, ok := strings.Cut(line, "="); ok {
			vars[name] = value
		} else {
			must(os.MkdirAll(filepath.Join(top, line), 0o700))
		}
	}
	return Environment{
		Getenv:  func(name string) string { return vars[name] },
		Home:    filepath.Join(top, "home"),
		Dir:     filepath.Join(top, "home", "p"),
		GOOS:    runtime.GOOS,
		Managed: filepath.Join(top, "managed"),
	}, top
}

// resolve calls Resolve in a world. It must not fail.
func resolve(t *testing.T, lines ...string) (Setup, string) {
	t.Helper()
	env, top := world(t, lines...)
	s, err := Resolve(env, NoFlags)
	if err != nil {
		t.Fatal(err)
	}
	return s, top
}

// short returns a path relative to the world.
func short(top, path string) string {
	return filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, top), string(filepath.Separator)))
}

// warned fails unless there is one warning for each wanted text, which contains it, and no other.
func warned(t *testing.T, got []string, want ...string) {
	t.Helper()
	got = slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(got, func(g string) bool { return strings.Contains(g, w) })
		if i < 0 {
			t.Errorf("no warning has %q, out of %q", w, got)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, g := range got {
		t.Errorf("unexpected warning %q", g)
	}
}

// trust is the state file of Claude Code with home/p trusted.
const trust = `home/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":true}}}`

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
