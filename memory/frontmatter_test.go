package memory

import (
	"strings"
	"testing"
)

// What YAML would read in quadratic time, or in much memory, is read within bounds, and is left as it is.
func TestHostileFrontmatter(t *testing.T) {
	const size = 1 << 18
	for name, text := range map[string]string{
		"open":   "metadata: " + strings.Repeat("[", size),
		"nested": "metadata: " + strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"braces": "metadata: " + strings.Repeat("{a: ", size/4),
		"keys":   "metadata: {" + strings.Repeat("a: b, ", size/6) + "}",
		"list":   "metadata: [" + strings.Repeat("a,", size/2) + "]",
		"self":   "metadata: &a [*a]",
		"fields": strings.Repeat("a: \"b\"\n", size/7),
		"below":  "metadata: x\n" + strings.Repeat("  a: [b\n", size/8),
	} {
		data := "---\nname: x\ndescription: \"y\"\n" + text + "\n---\nbody\n"
		topic := ParseTopic([]byte(data))
		if string(topic.Bytes()) != data || topic.Body() != "body\n" || topic.Description() != "y" {
			t.Errorf("%s: description %q, body %.20q", name, topic.Description(), topic.Body())
		}
		topic.Stamp(stampTime, []string{"s:1"})
		if again := ParseTopic(topic.Bytes()); again.Body() != "body\n" {
			t.Errorf("%s: the stamp changed the body", name)
		}
	}
}
