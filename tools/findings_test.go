package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

func TestFoldFindings(t *testing.T) {
	var findings []memory.Finding
	add := func(rule string, n int, hint func(i int) string) {
		for i := range n {
			findings = append(findings, memory.Finding{Rule: rule, Severity: memory.Info, File: fmt.Sprintf("f%d.md", i), Line: i, Message: "m", Hint: hint(i)})
		}
	}
	add("own", 2, func(i int) string { return fmt.Sprint("h", i) })
	add("same", maxRuleInfos+3, func(int) string { return "h" })
	got := foldFindings(findings)
	want := []string{"info own f0.md: m → h0", "info own f1.md:1: m → h1", "info same f0.md: m → h"}
	for i := 1; i < maxRuleInfos; i++ {
		want = append(want, fmt.Sprintf("info same f%d.md:%d: m", i, i))
	}
	want = append(want, fmt.Sprintf("… and 3 more of same: f%[1]d.md:%[1]d, f%[2]d.md:%[2]d, f%[3]d.md:%[3]d", maxRuleInfos, maxRuleInfos+1, maxRuleInfos+2))
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	findings = nil
	for rule := range 20 {
		add(fmt.Sprint("rule", rule), 1000, func(i int) string { return strings.Repeat("hint ", 200) })
	}
	for _, line := range foldFindings(findings) {
		if len([]rune(line)) > maxFindingLine+3 {
			t.Fatalf("%d characters: %q", len([]rune(line)), line)
		}
	}
	if n := len(foldFindings(findings)); n != 20*(maxRuleInfos+1) {
		t.Errorf("%d lines of 20 rules", n)
	}
	findings = nil
	add("grave", maxRuleFindings+1, func(int) string { return "" })
	for i := range findings {
		findings[i].Severity = memory.Warning
	}
	if got := foldFindings(findings); len(got) != maxRuleFindings+1 || !strings.HasPrefix(got[maxRuleFindings], "… and 1 more of grave: ") {
		t.Errorf("%q", got)
	}
	if got := foldFindings(nil); got != nil {
		t.Errorf("nothing is %q", got)
	}
}
