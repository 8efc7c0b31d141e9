package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lintLines returns "line:column" of what a rule finds in the body of one memory, counted from its first line.
func lintLines(t *testing.T, rule, frontmatter, body string) []string {
	t.Helper()
	head := "---\nname: shop\ndescription: the rewrite\n" + frontmatter + "type: project\n---\n"
	var found []string
	for _, f := range only(Lint(snapshotOf(t, map[string]string{"a.md": head + body}), nil, ruleTime), rule) {
		found = append(found, fmt.Sprintf("%d:%d", f.Line-strings.Count(head, "\n"), f.Column))
	}
	return found
}

func TestDeadline(t *testing.T) {
	for _, line := range []string{
		"Merges are frozen until 2026-05-04.", "- Deadline: 2026-11-16", "**Due:** 2026-05-04 (hard)", "The certificate expires on 2026-05-04",
		"reapply by 2026-05-04", "| Domain | renew by 2026-05-04 |", "Merge-Stopp bis zum 2026-05-04", "2026-05-04까지 제출", "截止日期：2026-05-04", "2026-05-04までに提出",
		"Deadline: 2026-05-04T08:15Z", "The tax form is due ~2026-05-04", "Invoices (due (~2026-05-04))", "Due BEFORE 2026-05-04", "The till was closed. The lease is due 2026-05-04",
		"The gate is fail-closed; the licence is valid until **2026-05-04**", "In use since May, the stand is booked through 2026-05-04", "**How to apply:** until 2026-05-04, do not sell plums.", "Until 2026-05-04, new stalls should wait.",
		"Der Ausweis ist gültig bis 2026-05-04", "Abgabefrist: 2026-05-04", "El permiso vence el 2026-05-04", "报名截止到 2026-05-04", "기한: 2026-05-04", "有效至 2026-05-04",
	} {
		if got := lintLines(t, "deadline", "", "# Plan\n\n"+line+"\n"); len(got) != 1 || !strings.HasPrefix(got[0], "3:") {
			t.Errorf("%q: %q", line, got)
		}
	}
	for _, line := range []string{
		"Merges are frozen until 2026-12-04.", "Deadline: 2026-11-18", "It did not do that until 2026-05-04.", "Until 2026-05-04 the stall sold plums.", "Merges were frozen until 2026-05-04.", "- [x] renew by 2026-05-04",
		"~~Deadline: 2026-05-04~~", "Deadline 2026-05-04: done", "Available from 2026-03-01, valid until 2026-05-04", "```\nexpires on 2026-05-04\n```", "Due 2026-15-04", "It is due on Friday.",
		"Bis 2026-05-04 lief der Laden allein.", "Offen vom 2026-03-01 bis 2026-05-04", "Gültig 2026-03-01 bis 2026-05-04", "Hasta 2026-05-04 vendimos peras.", "2026-03-01부터 2026-05-04까지", "2026-05-04까지는 혼자 했다.",
		"截止 2026-05-04 共有 12 家店", "截止到2026-05-04的数据", "A date field, e.g. expiry 2026-05-04", "Expiry: 2026-05-04 (auto-renewal)", "- [X] due 2026-05-04", "The lease is due 2026-05-04. It was paid.",
		"Deadline: 2026-05-04 " + strings.Repeat("x", longLine),
	} {
		if got := lintLines(t, "deadline", "", line+"\n"); got != nil {
			t.Errorf("%q: %q", line, got)
		}
	}
	if got := lintLines(t, "deadline", "", "Ä due 2026-05-04\n"); !slices.Equal(got, []string{"1:3"}) {
		t.Errorf("column: %q", got)
	}
}

func TestStale(t *testing.T) {
	const old, fresh = "modified: 2026-05-04\n", "modified: 2026-11-04\n"
	for _, line := range []string{"## Current status", "**In progress:** the cart", "# 🚧 START HERE", "Next steps:", "## 当前状态", "- WIP: the till",
		"## 2. Next steps", "1. **Next steps**", "## What's next", "## Status", "## 3) Remaining work", "### Pending", "Open TODO:", "## Current project state", "## 开发中", "## 다음 할 일", "## Próximos passos",
		"**In progress:** the cart; what is done is in the notes, and there were two carts", "## Next steps\n\n- none of the tills is tested", "## Current work\n\n- Done: the cart\n- the till"} {
		if got := lintLines(t, "stale", old, "Text.\n"+line+"\n"); len(got) != 1 {
			t.Errorf("%q: %q", line, got)
		}
		if got := lintLines(t, "stale", fresh, line+"\n") != nil; got {
			t.Errorf("%q is found in a fresh memory", line)
		}
		if got := lintLines(t, "stale", "", line+"\n"); got != nil {
			t.Errorf("%q is found in a memory without a date", line)
		}
	}
	if got := lintLines(t, "stale", "", "## Notes of 2026-03-01\n\nText.\n\n## Next steps\n"); !slices.Equal(got, []string{"5:4"}) {
		t.Errorf("after a section with a date: %q", got)
	}
	if got := lintLines(t, "stale", old, "## Status\n\n(none)\n\n## Next steps\n\n## Pending\n"); !slices.Equal(got, []string{"5:4"}) {
		t.Errorf("after a section with nothing: %q", got)
	}
	for _, line := range []string{"## Current status (2026-05-04)", "## Current status (May 4, 2026)", "## Stand vom 4. Mai 2026\n\n### Next steps",
		"Use the current branch.", "Nothing is in progress.", "Pending orders wait.", "- pending: the order waits", "Status: sold",
		"## Next steps\n\n(none)", "**In progress**\n- None.", "Next steps: (none)", "~~Next steps: the till~~", "## Current status: done", "## Status\n\n**SHIPPED (see the log).** It is in.", "The text names 2026-11-01.\n## Current status"} {
		if got := lintLines(t, "stale", old, line+"\n"); got != nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestContradiction(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Always use `--update-env`.", "Never use `--update-env`.", true},
		{"You must run `make lint`.", "Please don't run `make lint`.", true},
		{"Always use `make plums`, never `make pears`.", "Always use `make pears`.", true},
		{"Never use `make pears`, always `make plums`.", "Don't use `make plums`.", true},
		{"**Always** use `make plums`.", "**Never use** `make plums`.", true},
		{"Always use `make plums`, never `make pears`.", "Never use `make pears`.", false},
		{"Always use `make plums`.", "Never use `make plums` at night.", false},
		{"Never `make plums` by hand, always `make plums`.", "Text.", false},
		{"Always use `--update-env`.", "Never use `--no-cache`.", false},
		{"Always use `--update-env`.", "Never use `--update-env` on the build server.", false},
		{"Always use `npm ci` when the lock file is there.", "Never use `npm ci`.", false},
		{"Use `--update-env`.", "Never use `--update-env`.", false},
		{"Never use `--update-env`.", "Do not use `--update-env`.", false},
	}
	for _, test := range tests {
		for _, files := range []map[string]string{
			{"a.md": memo("a", "project", test.a), "b.md": memo("b", "project", test.b)},
			{"a.md": memo("a", "project", test.a+"\n\n"+test.b)},
			{"a.md": memo("a", "project", test.b+" "+test.a)},
		} {
			found := only(Lint(snapshotOf(t, files), nil, ruleTime), "contradiction")
			if test.want != (len(found) == 1) {
				t.Errorf("%q, %q: %+v", test.a, test.b, found)
			}
		}
	}
}

func TestOversized(t *testing.T) {
	part := strings.Repeat("It is deployed by hand, from the branch main.\n", 100)
	s := snapshotOf(t, map[string]string{
		"a.md": memo("a", "project", "## Deploy\n"+part+"## Tests\n"+part), "b.md": memo("b", "project", part+part), "c.md": memo("c", "project", part), "team/MEMORY.md": part + part,
	})
	found := only(Lint(s, nil, ruleTime), "oversized")
	if len(found) != 2 || found[0].Message != "this memory has 10 KB, and should have at most 8" ||
		!strings.HasSuffix(found[0].Hint, `: "Deploy" (4.5 KB), "Tests" (4.5 KB)`) || strings.Contains(found[1].Hint, "heading") {
		t.Errorf("%+v", found)
	}
}
