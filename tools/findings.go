package tools

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
)

// What the map shows of the findings: so many of one rule in full, fewer where it is no more than an info,
// the rest of that rule by the places alone; and so much of a line.
const (
	maxRuleFindings = 20
	maxRuleInfos    = 6
	maxFindingLine  = 500
)

// foldFindings writes findings as lines, in their order, which puts errors before warnings and those
// before infos. Many of one kind must not drown the others: what is beyond the first few of a rule is one
// line at the end, and a hint that all share is said once.
func foldFindings(findings []memory.Finding) []string {
	var lines, rules []string
	shown := make(map[string]int)
	hints := make(map[string]string) // the last of each rule
	rest := make(map[string][]string)
	for _, f := range findings {
		limit := maxRuleFindings
		if f.Severity == memory.Info {
			limit = maxRuleInfos
		}
		if shown[f.Rule]++; shown[f.Rule] > limit {
			if rest[f.Rule] == nil {
				rules = append(rules, f.Rule)
			}
			place := f.File
			if f.Line > 0 {
				place += fmt.Sprintf(":%d", f.Line)
			}
			rest[f.Rule] = append(rest[f.Rule], place)
			continue
		}
		if hint := f.Hint; hint == hints[f.Rule] {
			f.Hint = ""
		} else {
			hints[f.Rule] = hint
		}
		lines = append(lines, short(findingLine(f), maxFindingLine))
	}
	for _, rule := range rules {
		line := fmt.Sprintf("… and %d more of %s: %s", len(rest[rule]), rule, strings.Join(rest[rule], ", "))
		lines = append(lines, short(oneLine(line), maxFindingLine))
	}
	return lines
}
