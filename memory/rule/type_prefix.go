package rule

import (
	"dream-mcp/memory"
	"fmt"
	"slices"
)

var typePrefixRule = rule{
	doc: Doc{
		Name:     "type-prefix",
		Summary:  "a file name that begins with a type has that type",
		Severity: Warning,
		Catches:  "feedback_tests.md of type project",
		Leaves:   "names without a type; types of other tools, which are for frontmatter; feedback.md, user-agents.md of type user",
		Bad:      "-- feedback_tests.md --\n---\nname: tests\ndescription: how tests are run\ntype: project\n---\nBy make.",
		Good:     "-- feedback_tests.md --\n---\nname: tests\ndescription: how tests are run\ntype: feedback\n---\nBy make.",
	},
	topic: findWrongPrefix,
}

func findWrongPrefix(_ *view, n memory.Name, t *memory.Topic) []Finding {
	prefix, kind := memory.TypePrefix(n.String()), t.Type()
	if prefix == "" || kind == prefix || !slices.Contains(memory.Types, kind) {
		return nil
	}
	_, line, ok := t.Field("metadata.type")
	if !ok {
		_, line, _ = t.Field("type")
	}
	return []Finding{{
		File: n.String(), Line: line, subject: kind,
		Message: fmt.Sprintf("the file is named %s_…, and its type is %s", prefix, kind),
		Hint:    fmt.Sprintf("if it is %s, change the type in its frontmatter; if it is %s, write it under another name and delete this one", prefix, kind),
	}}
}
