package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestExamples holds every rule to what it says of itself: it finds something in its bad example, and
// nothing in its good one.
func TestExamples(t *testing.T) {
	for _, doc := range Rules() {
		if doc.Summary == "" || doc.Catches == "" || doc.Leaves == "" || doc.Bad == "" || doc.Good == "" {
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

// findIn returns what a rule finds in an example, as RuleDoc describes its form.
func findIn(t *testing.T, rule, example string) []Finding {
	t.Helper()
	if !strings.HasPrefix(example, "-- ") {
		example = "-- example.md --\n" + memo("example", TypeProject, example)
	}
	c := Check{Now: ruleTime, Touched: make(map[Name]bool), OwnWords: map[string]bool{"00000002-1111-4222-8333-444444444442:7": true}}
	before, after := make(map[string]string), make(map[string]string)
	for _, f := range txtar.Parse([]byte(example)).Files {
		if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
			before[name] = string(f.Data)
			c.Touched[mustName(t, name)] = true
		} else {
			after[f.Name] = string(f.Data)
			c.Touched[mustName(t, f.Name)] = true
		}
	}
	c.After = withIndex(t, after)
	if len(before) > 0 {
		c.Before = withIndex(t, before)
	}
	return slices.DeleteFunc(c.Whole(), func(f Finding) bool { return f.Rule != rule })
}

// withIndex makes a snapshot, with an index that names every memory where files has none.
func withIndex(t *testing.T, files map[string]string) *Snapshot {
	if _, ok := files[IndexFile]; !ok {
		var index strings.Builder
		for name := range files {
			fmt.Fprintf(&index, "- [x](%s)\n", name)
		}
		files[IndexFile] = index.String()
	}
	return snapshotOf(t, files)
}
