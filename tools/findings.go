package tools

import (
	"cmp"
	"fmt"
	"slices"

	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// consequence lists rules by the harm of an ignored finding, the worst first. Rules that are not listed are about form.
var consequence = []string{
	"conflict", "secret", "invisible", "index-limits", "dangling", "orphan", "loss", "drift", "near-duplicate",
	"relative-date", "name",
}

// The map shows the messages of maxRuleFindings findings of a rule and the hints of maxRuleHints (of secrets all), and
// the places of the others. Rules about form have one message for all findings.
const (
	maxRuleFindings = 12
	maxRuleHints    = 3
	maxFindingLine  = 400
	maxShortLine    = 160
	maxPlaces       = 1_000
)

// foldFindings renders findings as lines, rule by rule in the order of consequence.
func foldFindings(findings []rule.Finding) []string {
	rank := func(rule string) int {
		if i := slices.Index(consequence, rule); i >= 0 {
			return i
		}
		return len(consequence)
	}
	byRule := make(map[string][]rule.Finding)
	var rules []string
	for _, f := range findings {
		if byRule[f.Rule] == nil {
			rules = append(rules, f.Rule)
		}
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	slices.SortStableFunc(rules, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	var lines []string
	for _, name := range rules {
		lines = append(lines, foldRule(byRule[name], rank(name) == len(consequence))...)
	}
	return lines
}

// foldRule renders the findings of one rule.
func foldRule(findings []rule.Finding, form bool) []string {
	first := findings[0]
	alike := !slices.ContainsFunc(findings, func(f rule.Finding) bool { return f.Message != first.Message })
	if len(findings) > 1 && (alike || form) {
		line := fmt.Sprintf("%s %s (%d) %s: ", first.Severity, first.Rule, len(findings), quoted(rule.Places(findings), maxPlaces))
		if !alike {
			line += "for example "
		}
		line += quoted(first.Message, maxShortLine)
		if first.Hint != "" {
			line += " → "
			if alike && slices.ContainsFunc(findings, func(f rule.Finding) bool { return f.Hint != first.Hint }) {
				line += "for the first: "
			}
			line += quoted(first.Hint, maxFindingLine)
		}
		return []string{oneLine(line)}
	}
	var lines []string
	hint := ""
	for i, f := range findings {
		if i == maxRuleFindings {
			lines = append(lines, fmt.Sprintf("… and %d more of %s: %s", len(findings)-i, f.Rule, quoted(rule.Places(findings[i:]), maxPlaces)))
			break
		}
		limit := maxFindingLine
		if f.Hint == hint || i >= maxRuleHints && f.Rule != "secret" {
			f.Hint, limit = "", maxShortLine
		} else {
			hint = f.Hint
		}
		lines = append(lines, visible.Short(findingLine(f), limit))
	}
	return lines
}
