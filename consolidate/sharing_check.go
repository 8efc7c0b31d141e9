package consolidate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"dream-mcp/consolidate/share"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// describeShare tells what waits or is refused of a shared memory.
func (p *views) describeShare(s *Status) {
	state, err := p.Shared()
	if errors.Is(err, share.ErrNotShared) {
		return
	}
	s.warn(err)
	if state.Pending != "" { // why may be in the remote's words, which are not for a model
		s.Warnings = append(s.Warnings, "shared memory: what changed here has not been sent yet; dream-mcp share says why")
	}
	if state.Stopped != "" {
		s.Warnings = append(s.Warnings, "shared memory: "+state.Stopped)
	}
	for _, note := range state.Notes {
		s.Warnings = append(s.Warnings, "shared memory: "+note.File+": "+note.Why)
	}
}

// checkShare says how the memory is shared.
func (p *views) checkShare() []Check {
	s, err := p.Shared()
	if errors.Is(err, share.ErrNotShared) {
		return nil
	}
	if err != nil {
		return []Check{{Name: "share", State: Wrong, Message: err.Error(), Hint: "dream-mcp share REMOTE begins again"}}
	}
	c := Check{Name: "share", State: Healthy, Message: fmt.Sprintf("%s, by %s, as %s", s.Identity, s.Remote, s.MachineName)}
	switch {
	case s.Stopped != "":
		c.State, c.Message = Wrong, c.Message+": "+s.Stopped
	case s.Pending != "":
		c.State, c.Message, c.Hint = Note, c.Message+"; not sent yet: "+s.Pending, "dream-mcp share --now tries again"
	}
	return []Check{c}
}

// conflictCopy matches what other programs call the copy of a file that two machines changed.
var conflictCopy = regexp.MustCompile(`(?i)\.sync-conflict-\d{8}-\d{6}|\([^()]*conflicted copy[^()]*\)|[_-]conflict(ed)?(-[^/]*)?\.md$|\(case conflict[^()]*\)`)

func conflictCopies(dir *memory.Dir) (copies []string) {
	l, err := dir.List()
	if err != nil {
		return nil
	}
	for _, f := range l.Files {
		if conflictCopy.MatchString(f.Name.String()) {
			copies = append(copies, f.Name.String())
		}
	}
	for _, o := range l.Other {
		if conflictCopy.MatchString(o.Path) {
			copies = append(copies, o.Path)
		}
	}
	return copies
}

// sharedFindings are what a dream should look at first: what two machines changed.
func (p *base) sharedFindings(dir *memory.Dir) (findings []rule.Finding) {
	s, _ := p.Shared() // without it there is less to look at
	for _, note := range s.Notes {
		findings = append(findings, rule.Finding{Rule: "conflict", Severity: rule.Warning, File: note.File, Message: note.Why, Hint: "read it and write it again with what still holds"})
	}
	for _, file := range conflictCopies(dir) {
		hint := "merge it into the memory that it is a copy of: write_memory with replaces"
		if n, err := memory.ParseName(file); err != nil || n.Writable() != nil {
			hint = "write what only it says into the memory that it is a copy of, and ask the person to delete it"
		}
		findings = append(findings, rule.Finding{Rule: "conflict", Severity: rule.Warning, File: file, Message: "another program's copy of a memory that two machines changed", Hint: hint})
	}
	return findings
}

// isTeams reports whether a memory is shared with a team.
func (p *base) isTeams(data []byte) bool {
	s, err := p.Shared()
	return err == nil && s.Team && share.IsTeam(data)
}

// contradicted reports whether the code says otherwise than a memory.
func (p *base) contradicted(s *memory.Snapshot, n memory.Name) bool {
	return slices.ContainsFunc(rule.Standing(s, p.openSubject(), p.Now()), func(f rule.Finding) bool {
		return f.Rule == "drift" && f.File == n.String()
	})
}

// checkCopies looks for copies that other programs made of what two machines changed.
func (p *views) checkCopies(dir *memory.Dir) []Check {
	copies := conflictCopies(dir)
	if copies == nil {
		return nil
	}
	return []Check{{Name: "share", State: Wrong, Message: "another program keeps this folder the same on several machines, and left copies of what both changed: " + list(copies),
		Hint: "have a dream merge each into the memory that it is a copy of and delete it; dream-mcp share merges without copies"}}
}
