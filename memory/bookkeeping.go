package memory

import (
	"slices"
	"strings"
)

// bookkeeping are the fields that this program and the hosts keep. No person or model writes them.
var bookkeeping = []string{"created", "modified", "sources", "originSessionId", "originSessionIds"}

// Bookkeeping returns the bookkeeping fields of the frontmatter as they are written, by key without "metadata.", and
// reports for each line of the text whether it belongs to one.
func (t *Topic) Bookkeeping() (fields map[string]string, lines []bool) {
	fields, lines = make(map[string]string), make([]bool, strings.Count(t.body, "\n")+len(t.head)+1)
	for _, f := range t.fields {
		key := strings.TrimPrefix(f.key, "metadata.")
		if !slices.Contains(bookkeeping, key) {
			continue
		}
		fields[key] += strings.Join(t.head[f.line:f.end], "")
		for i := f.line; i < f.end; i++ {
			lines[i] = true
		}
	}
	return fields, lines
}

// WithoutBookkeeping returns the text of a topic without its bookkeeping fields.
func WithoutBookkeeping(text string) string {
	_, lines := ParseTopic([]byte(text)).Bookkeeping()
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		if !lines[i] {
			b.WriteString(line)
		}
		i++
	}
	return b.String()
}
