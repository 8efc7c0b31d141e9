package rule

import (
	"fmt"

	"dream-mcp/memory"
)

func findOutsideLinks(v *view, n memory.Name, t *memory.Topic) (findings []Finding) {
	for _, r := range v.refsIn(t) {
		if r.outside {
			findings = append(findings, outsideFinding(n.String(), r.line, r.column, r.target))
		}
	}
	return findings
}

func findOutsideEntries(v *view) (findings []Finding) {
	if v.After.Index == nil {
		return nil
	}
	for _, e := range v.After.Index.Entries() {
		if e.Outside && !memory.IsURL(e.File) {
			findings = append(findings, outsideFinding(memory.IndexFile, e.Line, e.Column, e.File))
		}
	}
	return findings
}

func outsideFinding(file string, line, column int, target string) Finding {
	return Finding{
		File: file, Line: line, Column: column, subject: target,
		Message: fmt.Sprintf("the link to %.200q leads out of the memory directory", target),
		Hint:    "nothing is wrong if it is meant; a path of the project is better named in backticks",
	}
}
