package rule

import (
	"dream-mcp/memory"
	"fmt"
)

var outsideLinkRule = rule{
	doc: Doc{
		Name:     "outside-link",
		Summary:  "a link of a memory or the index stays within the directory: what lies outside moves, and no dream reads or changes it",
		Severity: Info,
		Catches:  "[rules](../../CLAUDE.md); [notes](/home/me/notes.md); [x](~/x.md)",
		Leaves:   "URLs; a path in backticks; what lies in the directory",
		Bad:      "The rules stand in [CLAUDE.md](../../CLAUDE.md).",
		Good:     "The rules stand in `CLAUDE.md`, more at [the site](https://example.org/a.md), see [this](example.md).",
	},
	topic: func(v *view, n memory.Name, t *memory.Topic) []Finding {
		var findings []Finding
		for _, r := range v.refsIn(t) {
			if r.outside && len(findings) < maxPlaces {
				findings = append(findings, outsideFinding(n.String(), r.line, r.target))
			}
		}
		return findings
	},
	whole: func(v *view) []Finding {
		if v.after.Index == nil {
			return nil
		}
		var findings []Finding
		for _, e := range v.after.Index.Entries() {
			if e.Outside && !memory.IsURL(e.File) && len(findings) < maxPlaces {
				findings = append(findings, outsideFinding(memory.IndexFile, e.Line, e.File))
			}
		}
		return findings
	},
}

func outsideFinding(file string, line int, target string) Finding {
	return Finding{
		File: file, Line: line, subject: target,
		Message: fmt.Sprintf("the link to %.200q leads out of the memory directory", target),
		Hint:    "nothing is wrong if it is meant; a path of the project is better named in backticks",
	}
}
