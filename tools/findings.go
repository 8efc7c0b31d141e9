package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/rule"
)

// consequence lists rules by the harm of an ignored finding, the worst first. Rules that are not listed are about form.
var consequence = []string{
	"conflict", "secret", "invisible", "index-limits", "dangling", "orphan", "loss", "contradiction", "reconcile", "drift", "near-duplicate",
	"relative-date", "deadline", "stale", "name",
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
	for _, rule := range rules {
		lines = append(lines, foldRule(byRule[rule], rank(rule) == len(consequence))...)
	}
	return lines
}

// foldRule renders the findings of one rule.
func foldRule(findings []rule.Finding, form bool) []string {
	first := findings[0]
	alike := !slices.ContainsFunc(findings, func(f rule.Finding) bool { return f.Message != first.Message })
	if len(findings) > 1 && (alike || form) {
		line := fmt.Sprintf("%s %s (%d) %s: ", first.Severity, first.Rule, len(findings), places(findings))
		if !alike {
			line += "for example "
		}
		line += quoted(first.Message, maxShortLine)
		if first.Hint != "" {
			line += " → " + quoted(first.Hint, maxFindingLine)
		}
		return []string{oneLine(line)}
	}
	var lines []string
	hint := ""
	for i, f := range findings {
		if i == maxRuleFindings {
			lines = append(lines, fmt.Sprintf("… and %d more of %s: %s", len(findings)-i, f.Rule, places(findings[i:])))
			break
		}
		limit := maxFindingLine
		if f.Hint == hint || i >= maxRuleHints && f.Rule != "secret" {
			f.Hint, limit = "", maxShortLine
		} else {
			hint = f.Hint
		}
		lines = append(lines, short(findingLine(f), limit))
	}
	return lines
}

// places lists the files of findings, each once with its lines.
func places(findings []rule.Finding) string {
	var files []string
	lines := make(map[string][]string)
	for _, f := range findings {
		if lines[f.File] == nil {
			files = append(files, f.File)
			lines[f.File] = []string{}
		}
		if f.Line > 0 {
			lines[f.File] = append(lines[f.File], fmt.Sprint(f.Line))
		}
	}
	for i, file := range files {
		if len(lines[file]) > 0 {
			files[i] += ":" + strings.Join(lines[file], ",")
		}
	}
	return quoted(strings.Join(files, " "), maxPlaces)
}
