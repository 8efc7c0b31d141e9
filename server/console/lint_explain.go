package console

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
)

// explainRules prints all rules, one line each, or one rule with its examples.
func explainRules(c *Command) error {
	name := c.argument()
	docs := rule.Docs()
	if name != "" {
		if err := knownRules([]string{name}); err != nil {
			return err
		}
		docs = slices.DeleteFunc(docs, func(d rule.Doc) bool { return d.Name != name })
	}
	return c.answer(docs, "  ", func(ink terminal.Ink) string {
		if name != "" {
			return renderRule(docs[0], ink)
		}
		var b strings.Builder
		for _, d := range docs {
			d.Summary, _, _ = strings.Cut(d.Summary, ";")
			name, severity := fmt.Sprintf("%-14s", d.Name), fmt.Sprintf("%-7s", d.Severity)
			fmt.Fprintf(&b, "%s  %s  %s\n", ink.In(terminal.Bold, name), ink.In(severityColour[d.Severity], severity), d.Summary)
		}
		return b.String() + ink.In(terminal.Dim, "dream-mcp lint --explain RULE shows one rule with examples.") + "\n"
	})
}

func renderRule(d rule.Doc, ink terminal.Ink) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s.\n\n", ink.In(terminal.Bold, d.Name), ink.In(severityColour[d.Severity], string(d.Severity)), sentence(d.Summary))
	fmt.Fprintf(&b, "%s %s.\n%s\n", ink.In(terminal.Red, "Catches:"), d.Catches, example(d.Bad))
	fmt.Fprintf(&b, "%s %s.\n%s\n", ink.In(terminal.Green, "Leaves alone:"), d.Leaves, example(d.Good))
	fmt.Fprintf(&b, "To fix it: %s.\n", d.Fix)
	fmt.Fprintf(&b, "To silence it: %s.\n", silence(d))
	return b.String()
}

// silence says who may waive a rule, and how.
func silence(d rule.Doc) string {
	switch {
	case d.Name == rule.Secret:
		return "a person lists a value that is not a secret in config.json, allow_secrets: printf %s 'VALUE' | sha256sum | cut -c1-12"
	case d.Name == rule.Loss:
		return "the model names each loss and its reason, which is in the log"
	case d.Waivable:
		return "the model gives a reason with its write, which is in the log"
	case d.Severity != rule.Error:
		return "it refuses nothing; dream-mcp lint --ignore RULE leaves it out"
	}
	return "it cannot be silenced; existing text that a dream does not touch never stops the dream"
}

// maxExample is the number of lines of an example that are shown.
const maxExample = 14

func example(text string) string {
	lines := strings.Split(strings.TrimSuffix(said.Visible(text), "\n"), "\n")
	if more := len(lines) - maxExample; more > 1 {
		lines = append(lines[:maxExample], fmt.Sprintf("… and %d lines more", more))
	}
	return "\n    " + strings.Join(lines, "\n    ") + "\n"
}

// sentence returns a text with its first letter in upper case.
func sentence(text string) string {
	for i, r := range text {
		return strings.ToUpper(string(r)) + text[i+len(string(r)):]
	}
	return text
}
