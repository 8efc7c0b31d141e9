package console

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
)

var severityColour = map[rule.Severity]string{rule.Error: terminal.Red, rule.Warning: terminal.Yellow, rule.Info: terminal.Cyan}

// Of a rule that no flag chose, maxOfRule findings are shown, and of the rest the places, at most maxPlaces.
const (
	maxOfRule = 5
	maxPlaces = 12
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
	fixes := make(map[string]string)
	for _, d := range rule.Docs() {
		fixes[d.Name] = d.Fix
	}
	shown, left := map[string]int{}, map[string][]rule.Finding{}
	for _, f := range o.Findings {
		if shown[f.Rule]++; shown[f.Rule] > maxOfRule && !slices.Contains(chosen, f.Rule) {
			left[f.Rule] = append(left[f.Rule], f)
			continue
		}
		fmt.Fprintf(&b, "%s:%d:%d %s %s: %s\n", ink.In(terminal.Bold, terminal.OneLine(shownPath(o, f))), max(f.Line, 1), max(f.Column, 1),
			ink.In(severityColour[f.Severity], string(f.Severity)), f.Rule, terminal.OneLine(f.Message))
		fix := f.Hint
		if fix == "" || modelCall.MatchString(fix) {
			fix = fixes[f.Rule]
		}
		b.WriteString("  " + ink.In(terminal.Dim, "fix: "+terminal.OneLine(fix)) + "\n")
	}
	for _, r := range slices.Sorted(maps.Keys(left)) {
		at, more := left[r], ""
		if len(at) > maxPlaces {
			at, more = at[:maxPlaces], " …"
		}
		fmt.Fprintf(&b, "and %d more of %s (--rule %[2]s): %[3]s%[4]s\n", len(left[r]), r, terminal.OneLine(rule.Places(at)), more)
	}
	if len(o.Findings) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// modelCall matches a hint that is for a model. It is in --json.
var modelCall = lazy.New(`\b(?:write_memory|finalize_index|read_memory|grep_transcripts)\b`)

// renderTotals writes the last lines: the number of findings, and the rules that were not checked.
func renderTotals(o lintJSON) string {
	var parts []string
	for _, severity := range []rule.Severity{rule.Error, rule.Warning, rule.Info} {
		if n := o.Counts[severity]; n > 0 {
			parts = append(parts, phrase.Plural(n, string(severity)))
		}
	}
	found := cmp.Or(strings.Join(parts, ", "), "No problems")
	empty := o.Topics == 0 && len(o.Findings) == 0
	var b terminal.Lines
	b.Add(empty, "", "No memories yet in %s", o.MemoryDir)
	b.Add(!empty, "", "%s in %s of %s", found, phrase.Plural(o.Topics, "memory"), o.MemoryDir)
	b.Add(o.Limited, "", "The directory has more files than were read.")
	b.Add(o.Compared != "", "", "Compared with the project: %s", o.Compared)
	reasons := make(map[string][]string)
	for _, rule := range slices.Sorted(maps.Keys(o.NotAsked)) {
		reasons[o.NotAsked[rule]] = append(reasons[o.NotAsked[rule]], rule)
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		b.Add(true, "", "Not checked: %s (%s)", strings.Join(reasons[why], ", "), why)
	}
	b.Add(len(o.Findings) > 0, "", "dream-mcp lint --explain RULE explains a rule. To fix: ask your agent for a dream.")
	return b.String()
}
