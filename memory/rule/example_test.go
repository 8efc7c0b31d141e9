package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
)

// TestExamples holds every rule to what it says of itself: it finds something in its bad example, and
// nothing in its good one.
func TestExamples(t *testing.T) {
	for _, doc := range Docs() {
		if doc.Summary == "" || doc.Catches == "" || doc.Leaves == "" || doc.Fix == "" || doc.Bad == "" || doc.Good == "" {
			t.Errorf("%s leaves something out: %+v", doc.Name, doc)
			continue
		}
		found := findIn(t, doc.Name, doc.Bad)
		if len(found) == 0 {
			t.Errorf("%s finds nothing in its bad example:\n%s", doc.Name, doc.Bad)
		}
		for _, f := range found {
			if f.Severity.rank() < doc.Severity.rank() {
				t.Errorf("%s is of severity %s, and finds an %s", doc.Name, doc.Severity, f.Severity)
			}
		}
		if found := findIn(t, doc.Name, doc.Good); len(found) > 0 {
			t.Errorf("%s finds something in its good example:\n%s\n%+v", doc.Name, doc.Good, found)
		}
	}
}

// findIn returns what a rule finds in an example, as Doc describes its form.
func findIn(t *testing.T, rule, example string) []Finding {
	t.Helper()
	if !strings.HasPrefix(example, "-- ") {
		example = "-- example.md --\n" + memo("example", memory.TypeProject, example)
	}
	c := Check{Now: ruleTime, Changed: make(map[memory.Name]bool), OwnWords: map[string]bool{"00000002-1111-4222-8333-444444444442:7": true}}
	before, after, project := make(map[string]string), make(map[string]string), make(map[string]string)
	for _, f := range txtar.Parse([]byte(example)).Files {
		if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			project[name] = string(f.Data)
		} else if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
			before[name] = string(f.Data)
			c.Changed[mustName(t, name)] = true
		} else {
			after[f.Name] = string(f.Data)
			c.Changed[mustName(t, f.Name)] = true
		}
	}
	c.After = withIndex(t, after)
	c.Project = projectOf(t, project)
	if len(before) > 0 {
		c.Before = withIndex(t, before)
	}
	findings := c.Whole()
	for name := range after {
		findings = append(findings, c.Written(mustName(t, name))...)
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.Rule != rule })
}

// withIndex makes a snapshot, with an index that names every memory where files has none.
func withIndex(t *testing.T, files map[string]string) *memory.Snapshot {
	if _, ok := files[memory.IndexFile]; !ok {
		var index strings.Builder
		for name := range files {
			fmt.Fprintf(&index, "- [x](%s)\n", name)
		}
		files[memory.IndexFile] = index.String()
	}
	return snapshotOf(t, files)
}

// projectOf makes a project of files.
func projectOf(t testing.TB, files map[string]string) *drift.Project {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := drift.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
