package rule

import (
	"fmt"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
	"dream-mcp/memory/secret"
)

// maxQuoted bounds, in characters, a line that a finding quotes.
const maxQuoted = 160

// reconcileRule rests where the project's folder is not known, or holds no CLAUDE.md and no kin of it.
// The rule that it tells of is Claude Code's (FACTS 3, 2.1.119).
var reconcileRule = rule{
	doc: Doc{
		Name:     "reconcile",
		Summary:  "a feedback or project memory prescribes no command that CLAUDE.md (or AGENTS.md, GEMINI.md, the rules of Cursor and Copilot) contradicts",
		Severity: Warning,
		Catches:  "the same thing done by another tool (npm test here, pnpm test there); a command that CLAUDE.md forbids, and one that it prescribes and the memory forbids",
		Leaves:   "a command that CLAUDE.md also has, a narrower one of the same tool, one that was, an example; contradictions that aren't commands",
		Bad:      "-- tests.md --\nRun `npm test` before each commit.\n-- project/CLAUDE.md --\nTests: `pnpm test`.\n",
		Good:     "-- tests.md --\nRun `pnpm test --run api`, never `npm test`.\n-- project/CLAUDE.md --\nTests: `pnpm test`, not `npm test`.\n",
	},
	topic: findContradictions,
}

func findContradictions(v *view, n memory.Name, t *memory.Topic) []Finding {
	if kind := t.Type(); kind == memory.TypeUser || kind == memory.TypeReference {
		return nil
	}
	var found places
	t.EachText(func(text string, line, column int) {
		for _, c := range v.project.Conflicts(text) {
			if found.full() {
				continue
			}
			at, in := position(text, c.From, line, column)
			found.add(Finding{
				File: n.String(), Line: at, Column: in, subject: c.Command + "\n" + c.Guide,
				Message: conflictMessage(c),
				Hint: fmt.Sprintf("%s wins: rewrite or delete the memory, keeping its why; where the memory is clearly later and says so, note the conflict in it and report it, and never edit %s",
					c.Guide, c.Guide),
			})
		}
	})
	return found.all("contradictions of the project's instructions")
}

func conflictMessage(c drift.Conflict) string {
	said := "contradicts"
	if c.Other != "" {
		said = fmt.Sprintf("is %q in", secret.Mask(c.Other))
	}
	return fmt.Sprintf("%q %s %s:%d: here “%s”, there “%s”", secret.Mask(c.Command), said, c.Guide, c.At, quotedLine(c.Line), quotedLine(c.Theirs))
}

// quotedLine returns a line as a finding may show it.
func quotedLine(line string) string { return cutText(memory.OneLine(secret.Mask(line)), maxQuoted) }
