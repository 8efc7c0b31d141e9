package rule

import (
	"fmt"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
	"dream-mcp/memory/secret"
)

// maxQuoted bounds, in characters, a line that a finding quotes.
const maxQuoted = 160

// findContradictions finds nothing where the project is not known, or has no CLAUDE.md or the like.
// CLAUDE.md wins in Claude Code's own dream too, since 2.1.119.
func findContradictions(v *view, n memory.Name, t *memory.Topic) []Finding {
	if kind := t.Type(); kind == memory.TypeUser || kind == memory.TypeReference {
		return nil
	}
	var found []Finding
	t.EachText(func(text string, line, column int) {
		for _, c := range v.Project.Conflicts(text) {
			at, in := position(text, c.Ours.From, line, column)
			found = append(found, Finding{
				File: n.String(), Line: at, Column: in, subject: c.Ours.Command + "\n" + c.Theirs.Guide,
				Message: conflictMessage(c),
				Hint: fmt.Sprintf("%s wins: rewrite or delete the memory, keeping its why; "+
					"where the memory is clearly later and says so, note the conflict in it and report it, and never edit %s",
					c.Theirs.Guide, c.Theirs.Guide),
			})
		}
	})
	return found
}

func conflictMessage(c drift.Conflict) string {
	said := "contradicts"
	if c.Rivals() {
		said = fmt.Sprintf("is %q in", secret.Mask(c.Theirs.Command))
	}
	return fmt.Sprintf("%q %s %s:%d: here “%s”, there “%s”", secret.Mask(c.Ours.Command), said, c.Theirs.Guide, c.Theirs.At,
		quotedLine(c.Ours.Line), quotedLine(c.Theirs.Line))
}

// quotedLine returns a line as a finding may show it.
func quotedLine(line string) string { return cutText(memory.OneLine(secret.Mask(line)), maxQuoted) }
