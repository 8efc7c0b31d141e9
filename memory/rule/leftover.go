package rule

import (
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// callEnd matches the end of a text at which a model's call was not cut off: its closing tags.
var callEnd = lazy.New(`(?:\n[ \t]*|[^\s\x60>])(</(?:antml:)?(?:content|file_text|new_str|parameter|invoke|function_calls)>)(?:\s*</[a-z:_]+>)*\s*$`)

// findLeftovers finds what a tool or a model left around the text of a memory.
func findLeftovers(_ *view, n memory.Name, t *memory.Topic) (findings []Finding) {
	body := t.Body()
	var m []int
	if strings.HasSuffix(strings.TrimSpace(body), ">") { // few do
		m = callEnd.FindStringSubmatchIndex("\n" + body)
	}
	if m != nil {
		tag := ("\n" + body)[m[2]:m[3]]
		line, column := position(body, m[2]-1, t.BodyLine(), 1)
		findings = append(findings, Finding{
			File: n.String(), Line: line, Column: column, subject: tag,
			Message: "the text ends with " + tag + ", the end of the call that wrote it", Hint: "remove the tags at its end",
		})
	}
	if again := memory.ParseTopic([]byte(strings.TrimLeft(body, " \t\r\n"))); t.HasFrontmatter() && again.HasFrontmatter() && again.Title() != "" {
		findings = append(findings, Finding{
			File: n.String(), Line: t.BodyLine(), subject: "twice",
			Message: "a second frontmatter follows the first; hosts read the first alone", Hint: "keep one, with what holds of both",
		})
	}
	return findings
}
