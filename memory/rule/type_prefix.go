package rule

import (
	"fmt"
	"slices"

	"dream-mcp/memory"
)

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
		File: n.String(), Line: line, Column: columnIn(t, line, kind), subject: kind,
		Message: fmt.Sprintf("the file is named %s_…, and its type is %s", prefix, kind),
		Hint:    fmt.Sprintf("if it is %s, change the type in its frontmatter; if it is %s, write it under another name and delete this one", prefix, kind),
	}}
}
