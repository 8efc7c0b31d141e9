package rule

import (
	"slices"
	"strings"
	"testing"
)

// FuzzRules holds what is common to all rules, whatever a memory holds: they find the same at each look; a
// finding names a rule of the table, is not worse than the rule says, and leads to a line that is there; a
// memory that nobody changes refuses nothing but an index over its limits, and standing it only warns.
func FuzzRules(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\ntype: user\n---\nSee [[b]] and `src/x.go`.", "---\nname: b\n---\nyesterday", "- [A](a.md) — b\n- [Gone](gone.md)\n")
	f.Add("no frontmatter", "---\ntype: feedback\n---\n\u200bhidden", "# M\ntext in the index\n| table |\n")
	f.Add("---\r\nname: x\r\n---\r\n\xff", "", "- [A](a.md)\n- [A](a.md)\n[out](../../x.md)")
	f.Fuzz(func(t *testing.T, a, b, index string) {
		files := map[string]string{"a.md": a, "feedback_b.md": b, "MEMORY.md": index}
		s := snapshotOf(t, files)
		found := Lint(s, nil, ruleTime)
		if !slices.Equal(found, Lint(snapshotOf(t, files), nil, ruleTime)) {
			t.Fatal("findings differ from one look to the next")
		}
		for _, f := range found {
			r := ruleOf(f.Rule)
			if r.name == "" || f.Severity.rank() < r.severity.rank() {
				t.Errorf("%+v: the rule is %+v", f, r)
			}
			text, there := files[f.File]
			if f.File != "" && !there || f.Line < 0 || f.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
				t.Errorf("%+v leads nowhere", f)
			}
			if f.Message == "" {
				t.Errorf("%+v says nothing", f)
			}
		}
		for _, f := range (Check{Before: s, After: s, Now: ruleTime}).Whole() {
			if f.Severity == Error {
				t.Errorf("nothing was changed, and %+v refuses", f)
			}
		}
		for _, f := range Standing(s, nil, ruleTime) {
			if f.Severity == Error {
				t.Errorf("%+v stands", f)
			}
		}
	})
}
