package rule

import (
	"fmt"
	"strings"
	"testing"
)

// datesIn returns what the rule deadline says of the body of one memory, or "".
func datesIn(t *testing.T, body string) string {
	t.Helper()
	found := only(Lint(snapshotOf(t, map[string]string{"a.md": memo("a", "project", body)}), nil, ruleTime), "deadline")
	if len(found) == 0 {
		return ""
	}
	return found[0].Message
}

func TestDeadline(t *testing.T) {
	for _, line := range []string{
		"Merges are frozen until 2026-05-04.", "- Deadline: 2026-11-16", "**Due:** 2026-05-04 (hard)", "The certificate expires on 2026-05-04",
		"reapply by 2026-05-04", "| Domain | renew by 2026-05-04 |", "Merge-Stopp bis zum 2026-05-04", "2026-05-04까지 제출", "截止日期：2026-05-04", "2026-05-04までに提出",
		"Deadline: 2026-05-04T08:15Z", "The tax form is due ~2026-05-04", "Invoices (due (~2026-05-04))", "Due BEFORE 2026-05-04", "The till was closed. The lease is due 2026-05-04",
		"The gate is fail-closed; the licence is valid until **2026-05-04**", "In use since May, the stand is booked through 2026-05-04", "**How to apply:** until 2026-05-04, do not sell plums.", "Until 2026-05-04, new stalls should wait.",
		"Der Ausweis ist gültig bis 2026-05-04", "Abgabefrist: 2026-05-04", "El permiso vence el 2026-05-04", "报名截止到 2026-05-04", "기한: 2026-05-04", "有效至 2026-05-04",
	} {
		if got := datesIn(t, "# Plan\n\n"+line+"\n"); !strings.HasPrefix(got, "dates that have passed: a.md:9 ") {
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
		if got := datesIn(t, line+"\n"); got != "" {
			t.Errorf("%q: %q", line, got)
		}
	}
	want := `dates that have passed: a.md:9 "due 2026-05-05", a.md:7 "Due 2026-05-04"`
	if got := datesIn(t, "Due 2026-05-04.\n\nThe lease is due 2026-05-05.\n"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	many := ""
	for i := range maxContent + 2 {
		many += fmt.Sprintf("Deadline: 2026-05-%02d\n\n", i+1)
	}
	if got := datesIn(t, many); !strings.HasSuffix(got, ", and 2 more") {
		t.Error(got)
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
