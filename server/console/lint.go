package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
	"dream-mcp/tools/hint"
)

// errFound is returned by lint if it printed something worse than an info.
var errFound = &Failure{Code: 1}

// lintOptions are the flags of lint.
type lintOptions struct {
	explain bool     // explain the rules
	rules   []string // check only these rules, if any
	ignore  []string // do not check these
	fix     bool     // add missing lines to the index
}

// lintJSON is the output of lint --json.
type lintJSON struct {
	consolidate.Linted
	Counts map[rule.Severity]int `json:"counts"`
	Rules  map[string]int        `json:"rules"` // number of findings by rule
}

// runLint checks a memory against the rules. It changes nothing without --fix. A memory that cannot be read is a
// *Failure with exit code 2, so that 1 always means findings.
func runLint(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	if c.lint.explain {
		return explainRules(c)
	}
	dir := c.argument()
	if c.lint.fix && dir != "" {
		return &Failure{"--fix changes only the memory of the project", "dream-mcp lint --fix --memory-dir " + install.ShellWords(runtime.GOOS, []string{dir}), 2}
	}
	l, err := checkRules(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if c.lint.fix {
		fixed, err := p.FixIndex(ctx)
		if err != nil {
			return err
		}
		if fixed.Undo != "" && !c.json {
			err := c.print(fmt.Sprintf("Fixed MEMORY.md: %s added. To undo: %s\n\n", phrase.Plural(len(fixed.Added), "line"), fixed.Undo))
			if err != nil {
				return err
			}
		}
		if l, err = checkRules(ctx, c, p, dir); err != nil {
			return err
		}
		if fixed.Undo == "" && len(l.Findings) > 0 && !c.json {
			if err := c.print("Nothing here can be fixed without judging it: edit MEMORY.md, or ask your agent for a dream.\n\n"); err != nil {
				return err
			}
		}
	}
	o := lintJSON{Linted: l, Counts: map[rule.Severity]int{rule.Error: 0, rule.Warning: 0, rule.Info: 0}, Rules: map[string]int{}}
	for _, f := range l.Findings {
		o.Counts[f.Severity]++
		o.Rules[f.Rule]++
	}
	err = c.answer(o, "  ", func(ink terminal.Ink) string {
		return renderFindings(o, c.lint.rules, ink) + renderTotals(o)
	})
	if err == nil && o.Counts[rule.Error]+o.Counts[rule.Warning] > 0 {
		err = errFound
	}
	return err
}

// checkRules checks the rules that the flags choose, and sorts the findings by file and line.
func checkRules(ctx context.Context, c *Command, p *consolidate.Project, dir string) (consolidate.Linted, error) {
	l, err := p.Lint(ctx, consolidate.LintRequest{Dir: dir, Project: c.Flags.Project})
	if err != nil {
		return l, &Failure{err.Error(), hint.For(err).Person, 2}
	}
	ignored := func(name string) bool {
		return len(c.lint.rules) > 0 && !slices.Contains(c.lint.rules, name) || slices.Contains(c.lint.ignore, name)
	}
	l.Findings = slices.DeleteFunc(l.Findings, func(f rule.Finding) bool { return ignored(f.Rule) })
	if ignored(rule.Drift) {
		l.Compared = ""
	}
	maps.DeleteFunc(l.NotAsked, func(rule, _ string) bool { return ignored(rule) })
	slices.SortStableFunc(l.Findings, func(a, b rule.Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return l, nil
}

// knownRules fails with a *Failure if a rule does not exist.
func knownRules(names []string) error {
	var known []string
	for _, doc := range rule.Docs() {
		known = append(known, doc.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			e := unknown("rule", name, known)
			if e.Hint == usageHint {
				e.Hint = "dream-mcp lint --explain lists the rules"
			}
			return e
		}
	}
	return nil
}
