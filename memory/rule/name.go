package rule

import (
	"dream-mcp/memory"
	"fmt"
	"strings"
)

var nameRule = rule{
	doc: Doc{
		Name:     "name",
		Summary:  "a memory has a plain name within the directory, which ends in .md and differs from the others in more than the case of its letters",
		Severity: Error,
		Catches:  "a link deploy.md; Deploy.md beside deploy.md; notes:old.md",
		Leaves:   "files that don't end in .md; logs/ and agents/; names in any script",
		Bad:      "-- Deploy.md --\nOn Tuesdays.\n-- deploy.md --\nFrom the branch main.",
		Good:     "-- 배포 계획.md --\nOn Tuesdays.\n-- ops/deploy.md --\nFrom the branch main.",
	},
	topic: findOddName,
	whole: findOddFiles,
}

func findOddName(v *view, n memory.Name, _ *memory.Topic) []Finding {
	var findings []Finding
	if err := n.Writable(); err != nil && n.IsTopic() {
		findings = append(findings, Finding{
			File: n.String(), Message: err.Error(),
			Hint: "a person can rename the file", subject: "spelling",
		})
	}
	if v.folds == nil {
		v.folds = make(map[string][]memory.Name, len(v.after.Topics))
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
	for _, o := range v.after.Other {
		if o.Why == "" || !strings.HasSuffix(strings.ToLower(o.Path), ".md") {
			continue // no host takes it for a memory
		}
		findings = append(findings, Finding{
			File: o.Path, Message: "this is no memory: " + o.Why,
			Hint: "no dream reads or changes it; a person can rename or remove it", subject: o.Why,
		})
	}
	return findings
}
