package memory

import (
	"fmt"
	"strings"
)

// driftRule rests where the project's folder is not known (Snapshot.Project).
var driftRule = rule{
	doc: RuleDoc{
		Name:     "drift",
		Summary:  "what a memory names in backticks is still in the project",
		Severity: Warning,
		Catches:  "paths, lines of files, scripts and targets (npm, pnpm, yarn, make, just, task, composer, cargo, go run), Type.method, package.Name, name() and flags that the project no longer has, with the nearest that it has",
		Leaves:   "what is said to be removed, renamed, planned, forbidden or elsewhere; URLs, absolute and home paths, globs, placeholders, branches, packages, data files; what is ignored by git, or can't be told to be the project's",
		Bad: "-- deploy.md --\nThe deploy is `scripts/deploy.sh`, its tests are `make deploy-test`.\n" +
			"-- project/Makefile --\ntest:\n\tgo test ./...\n-- project/scripts/release.sh --\n#!/bin/sh\n",
		Good: "-- deploy.md --\nThe deploy is `scripts/release.sh`; `scripts/deploy.sh` was removed. Never run `make deploy`. See `path/to/file.go`, `~/.netrc`.\n" +
			"-- project/Makefile --\ntest:\n\tgo test ./...\n-- project/scripts/release.sh --\n#!/bin/sh\n",
	},
	topic: findDrift,
}

func findDrift(v *view, n Name, t *Topic) []Finding {
	var findings []Finding
	more := 0
	t.eachText(func(text string, line int) {
		at := 0
		for _, hit := range v.after.Project.Find(text, v.isMemory) {
			line += strings.Count(text[at:hit.From], "\n")
			at = hit.From
			if len(findings) == maxPlaces {
				more++
				continue
			}
			f := Finding{
				File: n.path, Line: line, subject: hit.Ref, Message: hit.Message,
				Hint: "look what became of it, then correct or delete the line by write_memory",
			}
			if hit.Nearest != "" {
				f.Message += fmt.Sprintf("; the nearest is %q", hit.Nearest)
			}
			findings = append(findings, f)
		}
	})
	return andMore(findings, more, "names of what the project does not have")
}

// eachText calls f with the description and the body, and the lines that they begin in.
func (t *Topic) eachText(f func(text string, line int)) {
	if description, line, ok := t.Field("description"); ok {
		f(description, line)
	}
	f(t.body, len(t.head)+1)
}

// isMemory reports whether a name is that of a memory, of its log, or of the index.
func (v *view) isMemory(name string) bool {
	n, err := ParseName(name)
	return err == nil && (v.after.Topics[n] != nil || n.IsIndex() || n.IsLog())
}
