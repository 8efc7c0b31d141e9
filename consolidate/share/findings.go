package share

import (
	"context"
	"path/filepath"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule"
)

// Warnings returns the warnings of a status. They quote nothing from the remote.
func (r *Room) Warnings() (warnings []string) {
	s, err := r.State()
	if err != nil && err != ErrNotShared {
		warnings = append(warnings, "shared memory: "+err.Error())
	}
	if s.Pending != "" {
		warnings = append(warnings, "shared memory: what changed here has not been sent yet; dream-mcp share says why")
	}
	if s.Stopped != "" {
		warnings = append(warnings, "shared memory: "+s.Stopped)
	}
	for _, note := range s.Notes {
		warnings = append(warnings, "shared memory: "+note.Name.String()+": "+note.Why)
	}
	return warnings
}

// conflictCopy matches the names that other programs give to the copy of a file that two machines changed.
var conflictCopy = lazy.New(`(?i)\.sync-conflict-\d{8}-\d{6}|\([^()]*conflicted copy[^()]*\)|[_-]conflict(ed)?(-[^/]*)?\.md$|\(case conflict[^()]*\)`)

// ConflictCopies returns the copies that other programs made of what two machines changed.
func ConflictCopies(dir *memory.Dir) (copies []string) {
	l, _ := dir.List()
	for _, f := range l.Files {
		l.Other = append(l.Other, memory.Other{Path: f.Name.String()})
	}
	for _, o := range l.Other {
		if conflictCopy.MatchString(o.Path) {
			copies = append(copies, o.Path)
		}
	}
	return copies
}

// Findings returns what a dream should look at first: the memories that two machines changed.
func (r *Room) Findings(dir *memory.Dir) (findings []rule.Finding) {
	add := func(file, message, hint string) {
		findings = append(findings, rule.Finding{Rule: "conflict", Severity: rule.Warning, File: file, Message: message, Hint: hint})
	}
	s, _ := r.State() // without it there is less to look at
	for _, note := range s.Notes {
		add(note.Name.String(), note.Why, "read it and write it again with what still holds")
	}
	for _, file := range ConflictCopies(dir) {
		hint := "merge it into the memory that it is a copy of: write_memory with replaces"
		if n, err := memory.ParseName(file); err != nil || n.Writable() != nil {
			hint = "write what only it says into the memory that it is a copy of, and ask the person to delete it"
		}
		add(file, "another program's copy of a memory that two machines changed", hint)
	}
	return findings
}

// Sign adds to each new line of the diff of a merge the name of the machine that wrote it, as it calls itself. commit
// is the merged commit.
func (r *Room) Sign(ctx context.Context, commit, diff string) string {
	g := git{dir: filepath.Join(r.StateDir(), repo)}
	var b strings.Builder
	var authors map[string]string // of the lines of a file
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if file, is := strings.CutPrefix(line, "+++ b/"); is {
			authors = g.blame(ctx, commit, memoryFolder+"/"+file)
		} else if name := authors[strings.TrimPrefix(line, "+")]; name != "" && line[0] == '+' {
			line += "  [" + name + "]"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// blame returns the author of each line of a file, as far as git knows.
func (g git) blame(ctx context.Context, commit, file string) map[string]string {
	out, _ := g.run(ctx, nil, "blame", "--line-porcelain", commit, "--", file)
	authors, name := make(map[string]string), ""
	for line := range strings.Lines(out) {
		if author, is := strings.CutPrefix(line, "author "); is {
			name = plainName(strings.TrimSpace(author))
		} else if text, is := strings.CutPrefix(line, "\t"); is && strings.TrimSpace(text) != "" {
			authors[strings.TrimRight(text, "\r\n")] = name
		}
	}
	return authors
}
