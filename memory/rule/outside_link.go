package rule

import (
	"fmt"

	"dream-mcp/memory"
)

func findOutsideLinks(v *view, n memory.Name, t *memory.Topic) []Finding {
	var findings []Finding
	for _, r := range v.refsIn(t) {
		if r.outside && len(findings) < maxPlaces {
			findings = append(findings, outsideFinding(n.String(), r.line, r.target))
		}
	}
	return findings
}

func findOutsideEntries(v *view) []Finding {
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
}

func outsideFinding(file string, line int, target string) Finding {
	return Finding{
		File: file, Line: line, subject: target,
		Message: fmt.Sprintf("the link to %.200q leads out of the memory directory", target),
		Hint:    "nothing is wrong if it is meant; a path of the project is better named in backticks",
	}
}
