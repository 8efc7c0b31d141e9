package memory

import (
	"slices"
	"strings"
)

// scopePerson is the scope of a memory that a person has in all their projects: "scope: person", in metadata or
// outside.
const scopePerson = "person"

// IsPersons reports whether the topic says that it is the person's, in all their projects.
func (m *frontmatter) IsPersons() bool { return m.either("scope").value == scopePerson }

// MarkPersonal says so. A topic without frontmatter is left as it is.
func (t *Topic) MarkPersonal() {
	if t.HasFrontmatter() {
		t.masked = nil
		t.set("scope", scopePerson)
	}
}

// ClearPersons takes that back, with its line if it has one. No other byte changes.
func (t *Topic) ClearPersons() {
	t.masked = nil
	for _, f := range slices.Backward(t.fields) {
		if f.key != "scope" && f.key != "metadata.scope" || f.value != scopePerson {
			continue
		}
		if line := t.head[f.line]; strings.HasPrefix(strings.TrimSpace(line), "scope") {
			t.head = slices.Delete(t.head, f.line, f.end)
		} else {
			t.head[f.line] = inBraces.Replace(line)
		}
	}
	t.fields = parseFields(t.head)
}

// inBraces removes the field from a mapping in braces.
var inBraces = strings.NewReplacer(", scope: person", "", "scope: person, ", "", "scope: person", "")
