package rule

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// A new memory is refused that says at least minSaid words of which another keeps so many percent.
const (
	minSaid        = 6
	containedWords = 80
)

// findDuplicate refuses a new memory that another says already, nearly all of it. Once it is written, it is compared with those
// that stood.
func findDuplicate(v *view, n memory.Name, t *memory.Topic) []Finding {
	if !v.came(n) || isFolderIndex(n) {
		return nil
	}
	whole := v.claim(t)
	for _, o := range v.sortedNames() {
		if whole.all < minSaid || o == n || n != v.written && v.came(o) || isFolderIndex(o) {
			continue
		}
		said := claim{left: slices.Clone(whole.left), all: whole.all}
		if said.find(v.terms(v.After.Topics[o])); said.share() >= containedWords && !v.nameEachOther(n, o) {
			return []Finding{v.duplicateOf(n, o)}
		}
	}
	return nil
}

// duplicateOf refuses n, which another says.
func (v *view) duplicateOf(n, other memory.Name) Finding {
	link := strings.TrimSuffix(other.String(), ".md")
	f := Finding{
		File: n.String(), subject: other.String(),
		Message: fmt.Sprintf("%q says it already: %s", other.String(), cutText(memory.OneLine(v.After.Topics[other].Description()), longEntry)),
		Hint: fmt.Sprintf("read_memory {\"paths\": [%q]} and merge into it: write_memory {\"path\": %q, \"edits\": […], \"base\": …}; if both must stay, "+
			"name that one in this one, [[%s]], "+
			"or write this one with \"waive\": [{\"rule\": \"near-duplicate\", \"why\": \"…\"}]", other.String(), other.String(), link),
	}
	if path.Dir(n.String()) != path.Dir(other.String()) {
		f.Hint += "; a folder such as team/ belongs to others too: keep the one there"
	}
	return f
}

// nameEachOther reports whether one of two memories names the other: who wrote that knew both.
func (v *view) nameEachOther(a, b memory.Name) bool {
	names := func(in, n memory.Name) bool { return memory.ParseIndex(v.After.Topics[in].Bytes()).Mentions(n) }
	return names(a, b) || names(b, a)
}
