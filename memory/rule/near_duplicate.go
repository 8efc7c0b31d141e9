package rule

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"dream-mcp/memory"
	"dream-mcp/memory/text"
)

// A new memory is refused that says at least minSaid words of which another keeps so many percent.
const (
	minSaid        = 6
	containedWords = 80
)

// findDuplicate refuses a new memory that another says already, nearly all of it. Once it is written, it is compared
// with those that stood.
func findDuplicate(v *view, n memory.Name, t *memory.Topic) []Finding {
	if !v.came(n) || isFolderIndex(n) {
		return nil
	}
	words := longWords(t.Body())
	for _, o := range v.sortedNames() {
		other := v.After.Topics[o]
		if o == n || n != v.written && v.came(o) || isFolderIndex(o) || !hasMost(strings.ToLower(other.Body()), words) || v.nameEachOther(n, o) {
			continue
		}
		said := v.claim(t)
		if said.find(v.terms(other)); said.all >= minSaid && said.share() >= containedWords {
			return []Finding{v.duplicateOf(n, o)}
		}
	}
	return nil
}

// Says returns a function that reports whether memories say nearly all of a text. It may be called at the same time by
// several.
func Says(topics map[memory.Name]*memory.Topic) func(text string) bool {
	var sample strings.Builder
	for _, t := range topics {
		sample.WriteString(t.Body() + "\n")
	}
	r := newReader(sample.String())
	var has []map[string][]int
	for _, n := range memory.SortedNames(topics) {
		has = append(has, r.terms(wholeText(topics[n])))
	}
	var mu sync.Mutex // protects r, which keeps the stems of words
	return func(text string) bool {
		mu.Lock()
		said := r.claim(text)
		mu.Unlock()
		for _, h := range has {
			said.find(h)
		}
		return said.share() >= containedWords
	}
}

// longWords returns the longest words of a text, a few of them.
func longWords(body string) []string {
	const few = 12
	words := text.Words(strings.ToLower(body))
	slices.Sort(words)
	words = slices.Compact(words)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return words[:min(len(words), few)]
}

// hasMost reports whether a text has half of some words: most do not, which is cheap to see.
func hasMost(lower string, words []string) bool {
	n := 0
	for _, w := range words {
		if strings.Contains(lower, w) {
			n++
		}
	}
	return 2*n >= len(words)
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

// nameEachOther reports whether one of two memories names the other. Then its author knew both, and they are not
// copies.
func (v *view) nameEachOther(a, b memory.Name) bool {
	names := func(in, n memory.Name) bool { return memory.ParseIndex(v.After.Topics[in].Bytes()).Mentions(n) }
	return names(a, b) || names(b, a)
}
