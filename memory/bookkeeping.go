package memory

import (
	"path"
	"slices"
	"strings"
)

// bookkeeping are the fields that this program and the hosts keep. No person or model writes them.
var bookkeeping = []string{"created", "modified", "sources", "originSessionId", "originSessionIds"}

// Bookkeeping returns the bookkeeping fields of a topic as they are written, by key without "metadata.", and
// reports for each line of the text whether it belongs to one.
func Bookkeeping(text string) (fields map[string]string, lines []bool) {
	t := ParseTopic([]byte(text))
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

// Brief returns the type of a topic, and its text without what the reader of several does not need: bookkeeping, the
// fences of its frontmatter, the type, and a name that the path says too. What it leaves is as it is written. A type
// that is not one of Types is left in the text.
func Brief(n Name, text string) (kind, brief string) {
	t := ParseTopic([]byte(text))
	_, hidden := Bookkeeping(text)
	meta := t.find("metadata")
	for _, f := range t.fields {
		switch {
		case meta != nil && meta.kind != mapping && strings.HasPrefix(f.key, "metadata."):
			continue // it is on the line of others
		case f.key == "name" && SlugKey(f.value) == SlugKey(path.Base(n.path)):
		case strings.TrimPrefix(f.key, "metadata.") == "type" && slices.Contains(Types, f.value) && (kind == "" || kind == f.value):
			kind = f.value
		case strings.TrimPrefix(f.key, "metadata.") == "node_type":
		default:
			continue
		}
		for i := f.line; i < f.end; i++ {
			hidden[i] = true
		}
	}
	if meta != nil && meta.kind == mapping && !slices.Contains(hidden[meta.line+1:meta.end], false) {
		hidden[meta.line] = true
	}
	if len(t.head) > 0 {
		hidden[0], hidden[len(t.head)-1] = true, true
	}
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		if !hidden[i] {
			b.WriteString(line)
		}
		i++
	}
	return kind, b.String()
}

// SaysTheSame reports whether two topics differ in bookkeeping fields and in the way that values are written at most,
// such as in quotation marks.
func SaysTheSame(a, b []byte) bool {
	t, o := ParseTopic(a), ParseTopic(b)
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
