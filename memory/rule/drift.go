package rule

import (
	"dream-mcp/memory"
	"fmt"
)

// driftRule finds nothing where the project's folder is not known (Check.Project).
var driftRule = rule{
	doc: Doc{
		Name:     "drift",
		Summary:  "what a memory says of the project's files, scripts, libraries and versions is still so",
		Severity: Warning,
		Catches:  "in backticks: files and folders that git once had and the project does not, lines beyond the end of a file, scripts and targets that were in package.json or the Makefile; in prose: \"Postgres 15\" where compose.yml has 17, \"tests use jest\" where jest left package.json. Without git, or before it saw anything go: a file whose first folder exists, a script that the Makefile or package.json lacks",
		Leaves:   "what is said to be removed, renamed, planned, forbidden or elsewhere (another repository, a plugin, a skill, a path outside, \"TBD\", \"not in git\"); what the project never had; what git ignores; URLs, globs, placeholders. One finding for a line",
		Bad: "-- deploy.md --\nThe deploy is `scripts/deploy.sh`.\nThe database is Postgres 15.\n" +
			"-- project/compose.yml --\nservices:\n  db:\n    image: postgres:17\n-- project/scripts/release.sh --\n#!/bin/sh\n",
		Good: "-- deploy.md --\nThe deploy is `scripts/release.sh`; `scripts/deploy.sh` was removed. The database is Postgres 17. See `path/to/file.go`, `~/.netrc`.\n" +
			"-- project/compose.yml --\nservices:\n  db:\n    image: postgres:17\n-- project/scripts/release.sh --\n#!/bin/sh\n",
	},
	topic: findDrift,
}

func findDrift(v *view, n memory.Name, t *memory.Topic) []Finding {
	var found places
	t.EachText(func(text string, line, column int) {
		for _, hit := range v.project.Find(text, v.isMemory) {
			if found.full() {
				continue
			}
			at, in := position(text, hit.From, line, column)
			f := Finding{
				File: n.String(), Line: at, Column: in, subject: hit.Ref, Message: hit.Message,
				Hint: "find out what became of it, then correct or delete the line with write_memory",
			}
			if hit.Nearest != "" {
				f.Message += fmt.Sprintf("; see %q", hit.Nearest)
			}
			found.add(f)
		}
	})
	return found.all("lines that name what the project does not have")
}

// isMemory reports whether a name is that of a memory, of its log, or of the index.
func (v *view) isMemory(name string) bool {
	n, err := memory.ParseName(name)
	return err == nil && (v.after.Topics[n] != nil || n.IsIndex() || n.IsLog())
}
