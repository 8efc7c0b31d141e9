package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory/rule"
)

func TestFoldFindings(t *testing.T) {
	var findings []rule.Finding
	add := func(name string, severity rule.Severity, n int, message, hint func(i int) string) {
		for i := range n {
			findings = append(findings, rule.Finding{Rule: name, Severity: severity, File: fmt.Sprintf("f%d.md", i/2), Line: i, Message: message(i), Hint: hint(i)})
		}
	}
	one := func(int) string { return "m" }
	each := func(i int) string { return fmt.Sprint("m", i) }
	add("index-entry", rule.Warning, 3, each, one)
	add("orphan", rule.Warning, 2, one, one)
	add("drift", rule.Info, maxRuleFindings+3, each, func(i int) string { return fmt.Sprint("h", i/2) })
	add("secret", rule.Warning, 1, each, one)
	got := foldFindings(findings)
	want := []string{
		"warning secret f0.md: m0 → m",
		"warning orphan (2) f0.md:1: m → m",
		"info drift f0.md: m0 → h0", "info drift f0.md:1: m1", "info drift f1.md:2: m2 → h1", "info drift f1.md:3: m3",
	}
	for i := 4; i < maxRuleFindings; i++ {
		want = append(want, fmt.Sprintf("info drift f%d.md:%d: m%d", i/2, i, i))
	}
	want = append(want, "… and 3 more of drift: f6.md:12,13 f7.md:14", "warning index-entry (3) f0.md:1 f1.md:2: for example m0 → m")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	findings = nil
	long := func(i int) string { return strings.Repeat(fmt.Sprintf("text %d ", i), 200) }
	form := 0
	for _, r := range rule.Docs() {
		if rule.AboutForm(r.Name) {
			form++
		}
		add(r.Name, rule.Info, 1000, long, long)
	}
	lines := foldFindings(findings)
	for _, line := range lines {
		if len([]rune(line)) > maxPlaces+maxFindingLine+maxShortLine+100 {
			t.Fatalf("%d characters: %q", len([]rune(line)), line)
		}
	}
	if n := (len(rule.Docs())-form)*(maxRuleFindings+1) + form; len(lines) != n {
		t.Errorf("%d lines, want %d", len(lines), n)
	}
	if got := foldFindings(nil); got != nil {
		t.Errorf("nothing is %q", got)
	}
}
