package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
)

// What is known of a host fits together.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range List {
		if h.ID == "" || h.Name == "" || seen[h.ID] || seen[h.Name] {
			t.Errorf("%q, %q", h.ID, h.Name)
		}
		seen[h.ID], seen[h.Name] = true, true
		if !h.Read() && !h.Configured() {
			t.Errorf("%s is of no use", h.ID)
		}
		for _, of := range h.Sessions {
			if string(of.Format.Host) != h.ID {
				t.Errorf("%s has the sessions of %s", h.ID, of.Format.Host)
			}
		}
	}
}

// No other package of the program names a host. The names of some are words of code; Claude Code's records are
// everybody's.
func TestNamedHereOnly(t *testing.T) {
	var names []string
	for _, h := range List {
		if !slices.Contains([]string{string(said.ClaudeCode), "cursor", "continue"}, h.ID) {
			names = append(names, h.Name)
		}
	}
	named := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && (e.Name() == "host" || e.Name() == "testdata" || path != "../.." && strings.HasPrefix(e.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := named.Find(text); found != nil {
			t.Errorf("%s names %s: what is known of a host is in its file", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
