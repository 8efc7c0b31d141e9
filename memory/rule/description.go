package rule

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
)

// longDescription is the length in characters from which on a description is reported.
const longDescription = 250

func findPoorDescription(_ *view, n memory.Name, t *memory.Topic) []Finding {
	description, line, ok := t.Field("description")
	description = strings.TrimSpace(description)
	if !ok || description == "" || isPage(n) {
		return nil
	}
	length := utf8.RuneCountInString(memory.OneLine(description))
	if length <= longDescription {
		return nil
	}
	return []Finding{{
		File: n.String(), Line: line, Column: columnIn(t, line, description), subject: description,
		Message: fmt.Sprintf("the description has %d characters, and should have at most %d", length, longDescription),
		Hint:    "say in one line when this memory is needed; the rest belongs in its text",
	}}
}
