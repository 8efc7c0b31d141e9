package diff

import (
	"strings"
	"testing"
)

func topic(fields, body string) string { return "---\nname: a\n" + fields + "---\n" + body }

func TestUnified(t *testing.T) {
	const head = "--- a\n+++ b\n"
	for _, test := range []struct{ name, before, after, want string }{
		{"equal", "x\n", "x\n", ""},
		{"a line", "a\nb\nc\n", "a\nB\nc\n", head + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"created", "", "a\n", head + "@@ -1,0 +1,1 @@\n+a\n"},
		{"deleted", "a\n", "", head + "@@ -1,1 +1,0 @@\n-a\n"},
		{"no line end", "a", "a\n", head + "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"the closing fence stays", topic("", "one\n"), topic("sources: [s:1]\n", "two\n"),
			head + "# also changed: sources\n@@ -1,4 +1,4 @@\n ---\n name: a\n ---\n-one\n+two\n"},
		{"bookkeeping in a block", topic("metadata:\n  type: user\n  modified: 2026-01-02T00:00:00Z\n  sources:\n    - s:1\n", "one\n"),
			topic("metadata:\n  type: user\n  modified: 2026-01-03T00:00:00Z\n  sources:\n    - s:1\n    - s:2\n", "one\n"),
			head + "# also changed: modified, sources\n"},
		{"the number of a line after bookkeeping", topic("modified: 1\n", "1\n2\n3\n4\n5\n6\n"), topic("modified: 2\nsources: [a]\n", "1\n2\n3\n4\n5\nsix\n"),
			head + "# also changed: modified, sources\n@@ -7,4 +8,4 @@\n 3\n 4\n 5\n-6\n+six\n"},
		{"the body is not bookkeeping", topic("", "modified: 1\n"), topic("", "modified: 2\n"),
			head + "@@ -1,4 +1,4 @@\n ---\n name: a\n ---\n-modified: 1\n+modified: 2\n"},
	} {
		if got := Of(test.before, test.after).Unified("a", "b"); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
	}
}

// Words of similar lines are compared; lines that only stand in the same place are not.
func TestPair(t *testing.T) {
	mark := func(l Line) string {
		text := string(l.Op)
		for _, w := range l.Words {
			if w.Changed {
				text += "[" + w.Text + "]"
			} else {
				text += w.Text
			}
		}
		if l.Words == nil {
			text += l.Text
		}
		return text
	}
	for _, test := range []struct{ lines, want string }{
		{"-Run it with npm.\n+Run it with bun.", "-Run it with [npm].\n+Run it with [bun]."},
		{"-[Staging](staging.md) — how to reach it\n+[Errors](errors.md) — problem details with a type", "-[Staging](staging.md) — how to reach it\n+[Errors](errors.md) — problem details with a type"},
		{"-gone entirely\n-Run it with npm.\n+Something quite new\n+Run it with bun.", "-gone entirely\n-Run it with [npm].\n+Something quite new\n+Run it with [bun]."},
		{"-部署在周五进行\n+部署在周一进行", "-部署在周[五]进行\n+部署在周[一]进行"},
		{" same\n-a b c\n same\n+a b d", " same\n-a b c\n same\n+a b d"},
	} {
		var lines []Line
		for text := range strings.SplitSeq(test.lines, "\n") {
			lines = append(lines, Line{Op: rune(text[0]), Text: text[1:]})
		}
		Pair(lines)
		var got []string
		for _, l := range lines {
			got = append(got, mark(l))
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), test.want)
		}
	}
}

// What is the same and what a side has is that side without its bookkeeping, where the hunks cover it; the words of a
// line are the line.
func FuzzOf(f *testing.F) {
	f.Add("Run it with npm.\n", "Run it with bun, not npm.\n")
	f.Add("--- a\n+++ b\n@@ -1,2 +3 @@\n", "diff a b\n--- a\n")
	f.Add("eins zwei\r\n三 四", "eins 三\n\n\nzwei")
	f.Add(topic("modified: 1\n", "x"), topic("modified: 2\nsources: [a]\n", "y\n"))
	f.Fuzz(func(t *testing.T, before, after string) {
		d := Of(before, after)
		old, new := strings.SplitAfter(fold(before).text, "\n"), strings.SplitAfter(fold(after).text, "\n")
		if (len(d.Hunks) == 0) != (strings.Join(old, "") == strings.Join(new, "")) {
			t.Fatalf("%d hunks between %q and %q", len(d.Hunks), old, new)
		}
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				text := ""
				for _, w := range l.Words {
					text += w.Text
				}
				if l.Words != nil && text != l.Text {
					t.Errorf("the words of %q are %v", l.Text, l.Words)
				}
				side := old
				if l.Op == Added {
					side = new
				}
				if !contains(side, strings.TrimSuffix(l.Text, "\n\\ No newline at end of file")) {
					t.Errorf("%q is not a line of %q", l.Text, side)
				}
			}
		}
	})
}

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if strings.TrimSuffix(l, "\n") == line {
			return true
		}
	}
	return false
}
