package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// MaxSources bounds the sources that one topic names.
const MaxSources = 10

// modifiedLayout is how the host writes `modified`: ISO 8601, milliseconds, UTC.
const modifiedLayout = "2006-01-02T15:04:05.000Z"

// Stamp says when the topic was written and, where there are any, what it was learned from. The
// new sources come after those that stand; of more than MaxSources the newest are kept. A stamp
// replaces the one that is there, else goes into metadata, else to the end of the frontmatter; a file without
// frontmatter is left as it is. No byte of any other line changes.
func (t *Topic) Stamp(modified time.Time, sources []string) {
	if !t.HasFrontmatter() {
		return
	}
	t.masked = nil
	t.set("modified", modified.UTC().Format(modifiedLayout))
	if len(sources) > 0 {
		t.set("sources", formatList(mergeSources(t.Sources(), sources)))
	}
}

// Quote puts the name and the description in quotes where YAML cannot read them at all without, as in
// "description: deploys: by hand". A value that YAML reads as something else is left for its writer.
func (t *Topic) Quote() {
	t.quoteFields(func(f *field, line string) bool {
		_, err := readYAML(line[f.from:])
		return err != nil && !strings.Contains(f.value, " #")
	})
}

// QuoteAll puts the name and the description in quotes wherever YAML does not read them as the text that they are, and
// reports whether it did.
func (t *Topic) QuoteAll() bool { return t.quoteFields(func(*field, string) bool { return true }) }

func (t *Topic) quoteFields(want func(f *field, line string) bool) (changed bool) {
	for _, key := range []string{"name", "description"} {
		f := t.find(key)
		if f == nil || f.kind != scalar {
			continue
		}
		if line, quoted := t.Syntax().Quoted(key); line != quoted && want(f, line) {
			_, end := cutEnd(t.head[f.line])
			t.head[f.line] = quoted + end
			t.masked, changed = nil, true
		}
	}
	t.fields = parseFields(t.head)
	return changed
}

// mergeSources appends the new sources to the old ones. One that is cited again moves to the end.
func mergeSources(old, cited []string) []string {
	var merged []string
	for _, source := range slices.Backward(slices.Concat(old, cited)) {
		if source = strings.TrimSpace(source); source != "" && len(merged) < MaxSources && !slices.Contains(merged, source) {
			merged = append(merged, source)
		}
	}
	slices.Reverse(merged)
	return merged
}

// set replaces a field, or adds it. The value is in its written form.
func (m *frontmatter) set(key, value string) {
	found := false
	for i := len(m.fields) - 1; i >= 0; i-- { // from below, so that lines above keep their place
		if f := m.fields[i]; f.key == key || f.key == "metadata."+key {
			m.replace(f, value)
			found = true
		}
	}
	if !found {
		m.add(key, value)
	}
	m.fields = parseFields(m.head)
}

// replace writes a field's value in its place, in the quotes that it had, and keeps what is
// around it, a comment included.
func (m *frontmatter) replace(f field, value string) {
	text, end := cutEnd(m.head[f.line])
	raw := text[f.from:f.to]
	if value[0] != '[' && raw != f.value && len(raw) > 1 && strings.ContainsAny(raw[:1], "\"'") {
		value = raw[:1] + value + raw[:1]
	} else if i := strings.Index(raw, " #"); i >= 0 && raw == f.value {
		f.to = f.from + len(strings.TrimRight(raw[:i], " \t"))
	}
	if f.from == f.to {
		value = " " + value
	}
	m.head[f.line] = text[:f.from] + value + text[f.to:] + end
	m.head = slices.Delete(m.head, f.line+1, f.end)
}

// add writes a new field: into metadata where it is a mapping, else before the closing fence.
func (m *frontmatter) add(key, value string) {
	at, indent := len(m.head)-1, ""
	if f := m.find("metadata"); f != nil && f.kind == flow {
		text, end := cutEnd(m.head[f.line])
		before := strings.TrimRight(text[:f.to-1], " \t")
		if !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ",") {
			before += ","
		}
		if !strings.HasSuffix(before, "{") {
			before += " "
		}
		m.head[f.line] = before + key + ": " + value + text[f.to-1:] + end
		return
	} else if f != nil && f.kind == mapping {
		at, indent = f.end, "  "
		for _, inner := range m.fields {
			if strings.HasPrefix(inner.key, "metadata.") && inner.line > f.line && inner.line < f.end {
				indent = m.head[inner.line][:indentOf(m.head[inner.line])] // the last one's
			}
		}
	}
	_, end := cutEnd(m.head[at-1])
	m.head = slices.Insert(m.head, at, indent+key+": "+value+end)
}

// formatList writes a list in one line.
func formatList(items []string) string {
	written := make([]string, len(items))
	for i, item := range items {
		written[i] = quoteScalar(item)
	}
	return "[" + strings.Join(written, ", ") + "]"
}

// quoteScalar quotes what YAML would take for something else than this text.
func quoteScalar(s string) string {
	if n, err := readYAML("[" + s + "]"); err == nil && len(n.Content) == 1 && n.Content[0].Kind == yaml.ScalarNode && n.Content[0].Value == s {
		return s
	}
	return strconv.Quote(strings.ToValidUTF8(s, "\ufffd"))
}

// Restamp returns the text of another version with t's own stamp of its last change, a line that every
// write changes and nobody's words.
func (t *Topic) Restamp(version []byte) []byte {
	stamp := t.either("modified").value
	other := ParseTopic(version)
	if stamp == "" || !other.HasFrontmatter() {
		return version
	}
	other.set("modified", stamp)
	return other.Bytes()
}
