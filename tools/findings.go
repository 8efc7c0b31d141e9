package tools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// The map shows the messages of maxRuleFindings findings of a rule and the hints of maxRuleHints (of secrets all), and
// the places of the others. Rules about form have one message for all findings.
const (
	maxRuleFindings = 12
	maxRuleHints    = 3
	maxFindingLine  = 400
	maxShortLine    = 160
	maxPlaces       = 1_000
)

// foldFindings renders findings as lines, rule by rule in the order of their table.
func foldFindings(findings []rule.Finding) []string {
	byRule := make(map[string][]rule.Finding)
	for _, f := range findings {
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	rules := slices.SortedFunc(maps.Keys(byRule), func(a, b string) int { return cmp.Compare(rule.Rank(a), rule.Rank(b)) })
	var lines []string
	for _, name := range rules {
		lines = append(lines, foldRule(byRule[name], rule.AboutForm(name))...)
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
		if f.Hint == hint || i >= maxRuleHints && f.Rule != rule.Secret {
			f.Hint, limit = "", maxShortLine
		} else {
			hint = f.Hint
		}
		lines = append(lines, visible.Short(findingLine(f), limit))
	}
	return lines
}
