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

// SaysTheSame reports whether two topics differ in bookkeeping fields and in the way that values are written at most, such as in
// quotation marks.
func (t *Topic) SaysTheSame(o *Topic) bool {
	return t.body == o.body && slices.Equal(t.says(), o.says())
}

// says returns what the frontmatter says, without bookkeeping.
func (t *Topic) says() (values []string) {
	for _, f := range t.fields {
		if !slices.Contains(bookkeeping, strings.TrimPrefix(f.key, "metadata.")) && (f.value != "" || f.items != nil) {
			values = append(values, strings.Join(append([]string{f.key, f.value}, f.items...), "\x00"))
		}
	}
	return values
}
