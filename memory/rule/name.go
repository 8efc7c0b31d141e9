package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
)

func findOddName(v *view, n memory.Name, _ *memory.Topic) []Finding {
	var findings []Finding
	if err := n.Writable(); err != nil && n.IsTopic() && !isPage(n) {
		findings = append(findings, Finding{
			File: n.String(), Message: err.Error(),
			Hint: "a person can rename the file", subject: "spelling",
		})
	}
	if v.folds == nil {
		v.folds = make(map[string][]memory.Name, len(v.After.Topics))
		for _, n := range v.sortedNames() {
			v.folds[n.Fold()] = append(v.folds[n.Fold()], n)
		}
	}
	for _, twin := range v.folds[n.Fold()] {
		if twin != n {
			findings = append(findings, Finding{
				File:    n.String(),
				Message: fmt.Sprintf("%q and %q are one file on systems that ignore case", n.String(), twin.String()),
				Hint:    fmt.Sprintf("merge them: write_memory {\"path\": %q, …}, then write_memory {\"path\": %q, \"delete\": true, …}", n.String(), twin.String()),
				subject: twin.String(),
			})
		}
	}
	return findings
}

func findOddFiles(v *view) []Finding {
	var findings []Finding
	for _, o := range v.After.Other {
		if o.Why == "" || !strings.HasSuffix(strings.ToLower(o.Path), ".md") {
			continue // no host takes it for a memory
		}
		findings = append(findings, Finding{
			File: o.Path, Message: "this is not a memory: " + o.Why,
			Hint: "no dream reads or changes it; a person can rename or remove it", subject: o.Why,
		})
	}
	return findings
}
