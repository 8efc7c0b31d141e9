package console

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
)

var severityColour = map[rule.Severity]string{rule.Error: terminal.Red, rule.Warning: terminal.Yellow, rule.Info: terminal.Cyan}

// More than maxAlike findings that differ only in numbers are shown as one, with the places of maxPlaces others. Of a rule
// that no flag chose, maxOfRule are shown, and the rest is counted.
const (
	maxAlike  = 3
	maxPlaces = 12
	maxOfRule = 10
)

// shownPath returns the path of a finding's file: relative to the working directory if it is below that, so that a
// terminal or an editor can open it, else relative to the memory, which the last line names.
func shownPath(o lintJSON, f rule.Finding) string {
	dir, err := os.Getwd()
	if err != nil {
		return f.File
	}
	rel, err := filepath.Rel(dir, filepath.Join(o.MemoryDir, filepath.FromSlash(f.File)))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return f.File
	}
	return rel
}

// renderFindings writes each finding as "file:line:col severity rule: message", and below it what a person does.
func renderFindings(o lintJSON, chosen []string, ink terminal.Ink) string {
	var b strings.Builder
	alike := make(map[string][]rule.Finding)
	for _, f := range o.Findings {
		alike[alikeKey(f)] = append(alike[alikeKey(f)], f)
	}
	fixes := make(map[string]string)
	for _, d := range rule.Docs() {
		fixes[d.Name] = d.Fix
	}
	shown, left := map[string]int{}, map[string]int{}
	for _, f := range o.Findings {
		group := alike[alikeKey(f)]
		if len(group) <= maxAlike {
			group = []rule.Finding{f}
		}
		if f != group[0] {
			continue
		}
		if shown[f.Rule] == maxOfRule && !slices.Contains(chosen, f.Rule) {
			left[f.Rule] += len(group)
			continue
		}
		shown[f.Rule]++
		fmt.Fprintf(&b, "%s:%d:%d %s %s: %s\n", ink.In(terminal.Bold, terminal.OneLine(shownPath(o, f))), max(f.Line, 1), max(f.Column, 1),
			ink.In(severityColour[f.Severity], string(f.Severity)), f.Rule, terminal.OneLine(f.Message))
		fix := f.Hint
		if fix == "" || modelCall.MatchString(fix) {
			fix = fixes[f.Rule]
		}
		b.WriteString("  " + ink.In(terminal.Dim, "fix: "+terminal.OneLine(fix)) + "\n")
		if len(group) > 1 {
			b.WriteString("  " + moreLike(group) + "\n")
		}
	}
	for _, r := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(&b, "… and %d more of %s: --rule %[2]s shows them all\n", left[r], r)
	}
	if len(o.Findings) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// modelCall matches a hint that is for a model. It is in --json.
var modelCall = lazy.New(`\b(?:write_memory|finalize_index|read_memory|grep_transcripts)\b`)

var digits = lazy.New(`[0-9]+`)

// alikeKey is equal for findings that differ only in numbers.
func alikeKey(f rule.Finding) string {
	return f.Rule + "\n" + string(f.Severity) + "\n" + digits.ReplaceAllString(f.Message, "0")
}

// moreLike names the places of the findings after the first.
func moreLike(group []rule.Finding) string {
	rest, more := group[1:], ""
	if len(rest) > maxPlaces {
		more = " …"
	}
	return fmt.Sprintf("and %d more: %s%s", len(rest), terminal.OneLine(rule.Places(rest[:min(len(rest), maxPlaces)])), more)
}

// renderTotals writes the last lines: the number of findings, and the rules that were not checked.
func renderTotals(o lintJSON) string {
	var parts []string
	for _, severity := range []rule.Severity{rule.Error, rule.Warning, rule.Info} {
		if n := o.Counts[severity]; n > 0 {
			parts = append(parts, ops.Plural(n, string(severity)))
		}
	}
	found := cmp.Or(strings.Join(parts, ", "), "No problems")
	empty := o.Topics == 0 && len(o.Findings) == 0
	var b terminal.Lines
	b.Add(empty, "", "No memories yet in %s", o.MemoryDir)
	b.Add(!empty, "", "%s in %s of %s", found, ops.Plural(o.Topics, "memory"), o.MemoryDir)
	b.Add(o.Limited, "", "The directory has more files than were read.")
	b.Add(o.Compared != "", "", "Compared with the project: %s", o.Compared)
	reasons := make(map[string][]string)
	for _, rule := range slices.Sorted(maps.Keys(o.NotAsked)) {
		reasons[o.NotAsked[rule]] = append(reasons[o.NotAsked[rule]], rule)
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		b.Add(true, "", "Not checked: %s (%s)", strings.Join(reasons[why], ", "), why)
	}
	b.Add(len(o.Findings) > 0, "", "dream-mcp lint --explain RULE explains a rule. To fix: ask your agent for a dream; dream-mcp lint --fix adds missing lines to MEMORY.md.")
	return b.String()
}
