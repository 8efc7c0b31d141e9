package memory

import (
	"fmt"
	"slices"
	"strings"
)

var frontmatterRule = rule{
	doc: RuleDoc{
		Name:     "frontmatter",
		Summary:  "a memory begins with frontmatter that has name, description and type in one line each; the type is user, feedback, project or reference",
		Severity: Error,
		Catches:  "no frontmatter; no closing ---; description: | and text below; type: semantic",
		Leaves:   "type at the top or in metadata; keys of other tools; values that strict YAML refuses; team/MEMORY.md",
		Bad:      "-- deploy.md --\n---\nname: Deploy\ndescription: |\n  how we deploy\nmetadata:\n  type: semantic\n---\nFrom the branch main.",
		Good:     "-- deploy.md --\n---\nname: Deploy\ndescription: how we deploy: by hand\ntags: [ops]\ntype: project\n---\nFrom the branch main.",
	},
	topic: findBadFrontmatter,
}

func findBadFrontmatter(_ *view, n Name, t *Topic) []Finding {
	if isFolderIndex(n) {
		return nil
	}
	form := "---, name: …, description: …, metadata:, \"  type: …\", ---, each in a line of its own"
	switch {
	case t.Unclosed():
		return []Finding{{
			File: n.path, Line: 1, subject: "unclosed",
			Message: "the frontmatter is not closed by a second \"---\", so no host sees it",
			Hint:    "close it after its last key",
		}}
	case !t.HasFrontmatter():
		return []Finding{{
			File: n.path, Line: 1, subject: "none",
			Message: "there is no frontmatter: name, description and type are missing",
			Hint:    "begin the file with " + form,
		}}
	}
	var findings []Finding
	var missing []string
	for _, key := range []string{"name", "description"} {
		f := t.field(key)
		if f == nil || strings.TrimSpace(f.value) == "" {
			missing = append(missing, key)
		} else if f.kind != scalar {
			findings = append(findings, Finding{
				File: n.path, Line: f.line + 1, subject: key,
				Message: fmt.Sprintf("%s runs over several lines or is no text; hosts read one line", key),
				Hint:    fmt.Sprintf("write %s: … in one line", key),
			})
		}
	}
	kind := t.Type()
	if kind == "" {
		missing = append(missing, "type")
	} else if !slices.Contains(types, kind) {
		line := 1
		for _, key := range []string{"type", "metadata.type"} {
			if _, at, ok := t.Field(key); ok {
				line = at
			}
		}
		findings = append(findings, Finding{
			File: n.path, Line: line, subject: "type",
			Message: fmt.Sprintf("the type %.40q is none of %s", kind, strings.Join(types, ", ")),
			Hint:    "type: feedback for how to work, user for who they are, project for work under way, reference for where to look",
		})
	}
	if len(missing) > 0 {
		findings = append(findings, Finding{
			File: n.path, Line: 1, subject: "missing " + strings.Join(missing, ", "),
			Message: "the frontmatter lacks " + strings.Join(missing, ", "),
			Hint:    "the form is " + form,
		})
	}
	return findings
}
