package rule

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/likeness"
)

// maxCompared is how many memories are compared: 10,000 of 2 KB take about two seconds.
const maxCompared = 10_000

// findWrittenDuplicate compares the memory that is being written with the others.
func findWrittenDuplicate(v *view, n memory.Name, _ *memory.Topic) []Finding {
	if n != v.written {
		return nil
	}
	return v.duplicates(func(o memory.Name) bool { return o == n }, func(memory.Name) bool { return true })
}

// findNewDuplicates compares each new memory with those that stood.
func findNewDuplicates(v *view) []Finding {
	return v.duplicates(func(memory.Name) bool { return true }, func(o memory.Name) bool { return !v.came(o) })
}

// duplicates reports the new ones of some memories that say the same as one of others.
func (v *view) duplicates(some, others func(memory.Name) bool) (findings []Finding) {
	if len(v.After.Topics) > maxCompared || !slices.ContainsFunc(v.sortedNames(), func(n memory.Name) bool { return v.came(n) && some(n) }) {
		return nil
	}
	var names []memory.Name
	var readings []*likeness.Reading
	for _, n := range v.sortedNames() {
		if !isFolderIndex(n) {
			names, readings = append(names, n), append(readings, v.reading(n))
		}
	}
	compared := likeness.Compare(readings)
	for i, n := range names {
		if !v.came(n) || !some(n) {
			continue
		}
		for _, like := range compared.With(i) {
			if other := names[like.At]; others(other) && !v.nameEachOther(n, other) {
				findings = append(findings, v.duplicateOf(n, other))
				break
			}
		}
	}
	return findings
}

// duplicateOf refuses n, which says the same as another.
func (v *view) duplicateOf(n, other memory.Name) Finding {
	link := strings.TrimSuffix(other.String(), ".md")
	f := Finding{
		File: n.String(), subject: other.String(),
		Message: fmt.Sprintf("%q says much the same: %s", other.String(), cutText(memory.OneLine(v.After.Topics[other].Description()), longEntry)),
		Hint: fmt.Sprintf("read_memory {\"paths\": [%q]} and merge into it: write_memory {\"path\": %q, \"edits\": […], \"base\": …}; if both must stay, "+
			"name that one in this one, [[%s]], "+
			"or write this one with \"waive\": [{\"rule\": \"near-duplicate\", \"why\": \"…\"}]", other.String(), other.String(), link),
	}
	if path.Dir(n.String()) != path.Dir(other.String()) {
		f.Hint += "; a folder such as team/ belongs to others too: keep the one there"
	}
	return f
}

func (v *view) reading(n memory.Name) *likeness.Reading {
	t := v.After.Topics[n]
	return read(v, t, "near-duplicate", func() *likeness.Reading {
		return likeness.Read(likeness.Memory{Name: n.String(), Description: t.Description(), Body: t.Body()})
	})
}

// nameEachOther reports whether one of two memories names the other: who wrote that knew both.
func (v *view) nameEachOther(a, b memory.Name) bool {
	return v.namedIn(a).Names(b) || v.namedIn(b).Names(a)
}

// namedIn returns what the text of a memory refers to.
func (v *view) namedIn(n memory.Name) memory.Refs {
	t := v.After.Topics[n]
	return read(v, t, "named", func() memory.Refs {
		r := memory.Refs{}
		for _, text := range t.ProseLines() {
			r.AddLine(&memory.Line{Text: text, Scan: memory.ScanLine(text)})
		}
		return r
	})
}

// came reports whether the change that is checked has made the memory.
func (v *view) came(n memory.Name) bool { return v.Before != nil && v.Before.Topics[n] == nil }
