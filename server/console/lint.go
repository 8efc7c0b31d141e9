package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/memory/rule"
	"dream-mcp/server/host"
)

// foundError ends a lint that found something worse than an info. It has been printed.
type foundError struct{ n int }

func (e *foundError) Error() string { return count(e.n, "finding") }

// LintOptions are the flags of lint.
type LintOptions struct {
	Explain    bool     // the rules themselves
	Rules      []string // those to ask; none: all
	Ignore     []string // those not to ask
	Statistics bool     // totals by rule instead of findings
	Format     string   // text, json, sarif or github
}

// lintJSON is what lint --json prints.
type lintJSON struct {
	consolidate.Linted
	Counts map[rule.Severity]int `json:"counts"`
	Rules  map[string]int        `json:"rules"` // findings of each rule that has any
}

// lint asks the rules about a memory. Only --fix changes something. What cannot be read is a *UsageError
// with exit code 2, so that 1 means findings alone.
func (c *Command) lint(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	if c.Lint.Explain {
		return c.explain()
	}
	dir := c.argument()
	if c.Fix && dir != "" {
		return usage("--fix changes the memory of the project, and no other folder: leave %q out, or name the memory by --memory-dir", dir)
	}
	l, err := c.linted(p, dir)
	if err != nil {
		return err
	}
	if c.Fix {
		fixed, err := p.FixIndex(ctx)
		if err != nil {
			return err
		}
		if fixed.Undo != "" {
			fmt.Fprintf(c.Out, "Fixed MEMORY.md: %s added, %s removed. To undo: %s\n\n", count(len(fixed.Added), "line"), count(len(fixed.Removed), "pointer"), fixed.Undo)
		}
		if l, err = c.linted(p, dir); err != nil {
			return err
		}
	}
	o := lintJSON{Linted: l, Counts: map[rule.Severity]int{rule.Error: 0, rule.Warning: 0, rule.Info: 0}, Rules: map[string]int{}}
	for _, f := range l.Findings {
		o.Counts[f.Severity]++
		o.Rules[f.Rule]++
	}
	switch format := c.Lint.Format; {
	case c.JSON || format == "json":
		err = c.printJSON(o, "  ")
	case format == "sarif":
		err = c.printJSON(sarifOf(o, c.Version), "  ")
	case format == "github":
		err = c.print(githubOf(o))
	case c.Lint.Statistics:
		err = c.print(renderStatistics(o, paintFor(c.Out)) + renderTotals(o))
	default:
		text := renderFindings(o, paintFor(c.Out)) + renderTotals(o)
		if dir == "" {
			text += renderUses(usesOf(p), p)
		}
		err = c.print(text)
	}
	if bad := o.Counts[rule.Error] + o.Counts[rule.Warning]; err == nil && bad > 0 {
		err = &foundError{bad}
	}
	return err
}

// linted asks the rules that the flags leave, and sorts what they find by file and line.
func (c *Command) linted(p *consolidate.Project, dir string) (consolidate.Linted, error) {
	l, err := p.Lint(consolidate.LintRequest{Dir: dir, Project: c.Flags.Project})
	if err != nil {
		return l, &UsageError{Message: err.Error(), Hint: hint(err)}
	}
	leftOut := func(rule string) bool {
		return len(c.Lint.Rules) > 0 && !slices.Contains(c.Lint.Rules, rule) || slices.Contains(c.Lint.Ignore, rule)
	}
	l.Findings = slices.DeleteFunc(l.Findings, func(f rule.Finding) bool { return leftOut(f.Rule) })
	maps.DeleteFunc(l.NotAsked, func(rule, _ string) bool { return leftOut(rule) })
	slices.SortStableFunc(l.Findings, func(a, b rule.Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return l, nil
}

func knownRules(names []string) error {
	var known []string
	for _, doc := range rule.Docs() {
		known = append(known, doc.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			e := unknown("rule", name, known)
			if e.Hint == usage("").Hint {
				e.Hint = "dream-mcp lint --explain lists the rules"
			}
			return e
		}
	}
	return nil
}
