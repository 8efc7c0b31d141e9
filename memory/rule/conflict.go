package rule

import (
	"slices"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// conflictCopy matches the names that Syncthing, Dropbox, Nextcloud and others give to such a copy.
var conflictCopy = lazy.New(`(?i)\.sync-conflict-\d{8}-\d{6}|\([^()]*conflicted copy[^()]*\)|_conflict-\d{8}-\d{6}|\(case conflict[^()]*\)`)

// ConflictCopies returns the files that other programs made of memories that two machines changed.
func ConflictCopies(topics []memory.Name, others []memory.Other) []string {
	var files []string
	for _, n := range topics {
		files = append(files, n.String())
	}
	for _, o := range others {
		files = append(files, o.Path)
	}
	return slices.DeleteFunc(files, func(file string) bool { return !conflictCopy.MatchString(file) })
}

func findConflictCopies(v *view) (findings []Finding) {
	for _, file := range ConflictCopies(v.sortedNames(), v.After.Other) {
		hint := "merge it into the memory that it is a copy of: write_memory with replaces"
		if n, err := memory.ParseName(file); err != nil || n.Writable() != nil {
			hint = "write what only it says into the memory that it is a copy of, and ask the person to delete it"
		}
		findings = append(findings, Finding{
			File: file, Message: "another program's copy of a memory that two machines changed", Hint: hint, subject: file,
		})
	}
	return findings
}
