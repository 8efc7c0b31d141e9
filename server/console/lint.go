package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/server/host"
)

// foundError ends a lint that found what is worse than an info. It has been told of.
type foundError struct{ n int }

func (e *foundError) Error() string { return count(e.n, "finding") }

// lintJSON is what lint --json prints.
type lintJSON struct {
	consolidate.Linted
	Counts map[memory.Severity]int `json:"counts"`
	Rules  map[string]int          `json:"rules"` // findings of each rule that has any
}

// lint asks every rule about a memory, and changes nothing. Where it can't be read, the command line is
// to blame: exit code 2, so that 1 means findings alone.
func (c *Command) lint(_ context.Context, p *consolidate.Project, _ host.Setup) error {
	if c.Explain {
		return c.explain()
	}
	if err := knownRules(c.Rules); err != nil {
		return err
	}
	l, err := p.Lint(c.argument())
	if err != nil {
		return &UsageError{Message: err.Error(), Hint: hint(err)}
	}
	if len(c.Rules) > 0 {
		l.Findings = slices.DeleteFunc(l.Findings, func(f memory.Finding) bool { return !slices.Contains(c.Rules, f.Rule) })
	}
	o := lintJSON{Linted: l, Counts: map[memory.Severity]int{memory.Error: 0, memory.Warning: 0, memory.Info: 0}, Rules: map[string]int{}}
	for _, f := range l.Findings {
		o.Counts[f.Severity]++
		o.Rules[f.Rule]++
	}
	if c.JSON {
		err = c.printJSON(o, "  ")
	} else {
		_, err = io.WriteString(c.Out, renderLint(o, paintFor(c.Out)))
	}
	if bad := o.Counts[memory.Error] + o.Counts[memory.Warning]; err == nil && bad > 0 {
		err = &foundError{bad}
	}
	return err
}

func knownRules(names []string) error {
	var known []string
	for _, doc := range memory.Rules() {
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

var severityColour = map[memory.Severity]string{memory.Error: red, memory.Warning: yellow, memory.Info: cyan}

// renderLint lists the findings by file, the file with the worst first.
func renderLint(o lintJSON, ink paint) string {
	var b strings.Builder
	files := make(map[string][]memory.Finding)
	var order []string // findings come the worst first
	for _, f := range o.Findings {
		if files[f.File] == nil {
			order = append(order, f.File)
		}
		files[f.File] = append(files[f.File], f)
	}
	for _, file := range order {
		b.WriteString(ink.in(bold, oneLine(cmp.Or(file, "the memory as a whole"))) + "\n")
		findings := files[file]
		slices.SortStableFunc(findings, func(a, b memory.Finding) int { return cmp.Compare(a.Line, b.Line) })
		for _, f := range findings {
			line := ""
			if f.Line > 0 {
				line = fmt.Sprint(f.Line)
			}
			fmt.Fprintf(&b, "%5s  %s  %s %s\n", line, ink.in(severityColour[f.Severity], fmt.Sprintf("%-7s", f.Severity)), oneLine(f.Message), ink.in(dim, "("+f.Rule+")"))
		}
		b.WriteByte('\n')
	}
	parts := []string{count(o.Counts[memory.Error], "error"), count(o.Counts[memory.Warning], "warning"), count(o.Counts[memory.Info], "info")}
	fmt.Fprintf(&b, "%s in %s of %s\n", strings.Join(parts, ", "), count(o.Topics, "topic"), oneLine(o.MemoryDir))
	if o.Limited {
		b.WriteString("The directory holds more files than were looked at.\n")
	}
	if len(o.Findings) > 0 {
		b.WriteString(ink.in(dim, "What a rule means: dream-mcp lint --explain RULE. A dream mends: ask your agent for one.") + "\n")
	}
	return b.String()
}

// explain tells what the rules are: all in a line each, or one whole.
func (c *Command) explain() error {
	name := c.argument()
	docs := memory.Rules()
	if name != "" {
		if err := knownRules([]string{name}); err != nil {
			return err
		}
		docs = slices.DeleteFunc(docs, func(d memory.RuleDoc) bool { return d.Name != name })
	}
	if c.JSON {
		return c.printJSON(docs, "  ")
	}
	ink := paintFor(c.Out)
	var b strings.Builder
	if name != "" {
		b.WriteString(renderRule(docs[0], ink))
	} else {
		for _, d := range docs {
			d.Summary, _, _ = strings.Cut(d.Summary, ";")
			fmt.Fprintf(&b, "%s  %s  %s\n", ink.in(bold, fmt.Sprintf("%-14s", d.Name)), ink.in(severityColour[d.Severity], fmt.Sprintf("%-7s", d.Severity)), d.Summary)
		}
		b.WriteString(ink.in(dim, "dream-mcp lint --explain RULE shows one whole, with examples.") + "\n")
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}

func renderRule(d memory.RuleDoc, ink paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s.\n\n", ink.in(bold, d.Name), ink.in(severityColour[d.Severity], string(d.Severity)), sentence(d.Summary))
	fmt.Fprintf(&b, "%s %s.\n%s\n", ink.in(red, "Catches:"), d.Catches, example(d.Bad))
	fmt.Fprintf(&b, "%s %s.\n%s\n", ink.in(green, "Leaves alone:"), d.Leaves, example(d.Good))
	fmt.Fprintf(&b, "To silence it: %s.\n", silence(d))
	return b.String()
}

// silence says who may set a rule aside, and how.
func silence(d memory.RuleDoc) string {
	switch {
	case d.Name == "secret":
		return "a person names a value that is none in config.json, allow_secrets: printf %s 'VALUE' | sha256sum | cut -c1-12"
	case d.Name == "loss":
		return `finalize_index {"accept_loss": [{"file": "…", "why": "…"}]} names each loss and its reason, which goes into the journal`
	case d.Waivable:
		return fmt.Sprintf(`write_memory {"waive": [{"rule": %q, "why": "…"}]} with a reason, which goes into the journal`, d.Name)
	case d.Severity != memory.Error:
		return "it refuses nothing, so there is no need to; dream-mcp lint --rule names the rules to ask"
	}
	return "it can't be; what stood before and is not touched does not stop a dream"
}

// maxExample bounds, in lines, how much of an example is shown.
const maxExample = 14

func example(text string) string {
	lines := strings.Split(strings.TrimSuffix(transcript.Visible(text), "\n"), "\n")
	if more := len(lines) - maxExample; more > 1 {
		lines = append(lines[:maxExample], fmt.Sprintf("… and %d lines more", more))
	}
	return "\n    " + strings.Join(lines, "\n    ") + "\n"
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	for i, r := range text {
		return strings.ToUpper(string(r)) + text[i+len(string(r)):]
	}
	return text
}
