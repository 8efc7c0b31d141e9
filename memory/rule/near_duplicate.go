package rule

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/likeness"
)

// maxAlike bounds the other memories that a finding names.
const maxAlike = 5

// maxCompared is how many memories are compared: 10,000 of 2 KB take about two seconds.
const maxCompared = 10_000

// twin is a memory that says the same as another; strong and loose are as in likeness.Pair.
type twin struct {
	name          memory.Name
	share         float64
	strong, loose bool
}

// findWrittenDuplicate compares the memory that is being written with the others.
func findWrittenDuplicate(v *view, n memory.Name, _ *memory.Topic) []Finding {
	if n != v.written {
		return nil
	}
	names, readings := v.compared()
	at := slices.Index(names, n)
	if at < 0 {
		return nil
	}
	var twins []twin
	for _, p := range likeness.Of(readings, at) {
		other := names[p.A+p.B-at]
		if !v.nameEachOther(n, other) {
			twins = append(twins, twin{other, p.Share, p.Strong, p.Loose})
		}
	}
	return v.duplicateOf(n, twins)
}

// findNearDuplicates reports each new memory that is like another. Those that stood are reported once for
// each group, at the last of them by name.
func findNearDuplicates(v *view) []Finding {
	names, readings := v.compared()
	if len(v.After.Topics) > maxCompared {
		return []Finding{{
			Severity: Info, Message: fmt.Sprintf("near-duplicate was not asked: there are %d memories, and it compares at most %d", len(v.After.Topics), maxCompared),
			Hint: "look for duplicates in parts of the memory: copy one into a folder and run dream-mcp lint FOLDER",
		}}
	}
	twins := make(map[memory.Name][]twin) // of each new memory
	group := make([]int, len(names))
	for i := range group {
		group[i] = i
	}
	first := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for _, p := range likeness.Pairs(readings) {
		a, b := names[p.A], names[p.B]
		switch {
		case v.nameEachOther(a, b):
		case v.came(b):
			twins[b] = append(twins[b], twin{a, p.Share, p.Strong, p.Loose})
		case v.came(a):
			twins[a] = append(twins[a], twin{b, p.Share, p.Strong, p.Loose})
		case p.Loose:
			twins[b] = append(twins[b], twin{a, p.Share, false, true})
		default:
			i, j := first(p.A), first(p.B)
			group[max(i, j)] = min(i, j)
		}
	}
	groups := make(map[int][]twin)
	for i, n := range names {
		groups[first(i)] = append(groups[first(i)], twin{name: n})
	}
	var findings []Finding
	for n, others := range twins {
		findings = append(findings, v.duplicateOf(n, others)...)
	}
	for _, alike := range groups {
		last := len(alike) - 1
		findings = append(findings, v.duplicateOf(alike[last].name, alike[:last])...)
	}
	return findings
}

// duplicateOf returns a finding at n that names the others, the most alike first.
func (v *view) duplicateOf(n memory.Name, others []twin) []Finding {
	if len(others) == 0 {
		return nil
	}
	slices.SortStableFunc(others, func(a, b twin) int { return cmp.Compare(b.share, a.share) })
	if slices.ContainsFunc(others, func(t twin) bool { return !t.loose }) {
		others = slices.DeleteFunc(others, func(t twin) bool { return t.loose })
	}
	other := others[0].name
	severity, says := Warning, "says much the same"
	if others[0].loose {
		severity, says = Info, "may say the same in other words"
	}
	f := Finding{
		File: n.String(), Severity: severity, subject: other.String(),
		Message: fmt.Sprintf("%q %s: %s", other.String(), says, cutText(memory.OneLine(v.After.Topics[other].Description()), longEntry)),
	}
	if len(others) > 1 {
		var names []string
		for _, o := range others[1:min(len(others), maxAlike)] {
			names = append(names, fmt.Sprintf("%q", o.name.String()))
		}
		f.Message += fmt.Sprintf(" (%d more are like it: %s)", len(others)-1, strings.Join(names, ", "))
	}
	link := strings.TrimSuffix(other.String(), ".md")
	keep, drop := other, n
	if n == v.written && !v.came(n) || v.indexed(n) && !v.indexed(other) {
		keep, drop = n, other // nobody deletes what was just edited, or keeps what the index does not name
	}
	f.Hint = fmt.Sprintf("read_memory {\"paths\": [%q, %q]}; "+
		"merge: write_memory {\"path\": %q, \"base\": …, \"edits\": […], \"replaces\": [{\"path\": %q, \"base\": …}]}; "+
		"if both must stay, name one in the other: [[%s]]",
		keep.String(), drop.String(), keep.String(), drop.String(), link)
	if v.Before != nil && v.came(n) && (n == v.written || !v.came(other)) && others[0].strong {
		f.Severity = Error
		f.Hint = fmt.Sprintf("read_memory {\"paths\": [%q]} and merge into it: write_memory {\"path\": %q, \"edits\": […], \"base\": …}; if both must stay, "+
			"name that one in this one, [[%s]], "+
			"or write this one with \"waive\": [{\"rule\": \"near-duplicate\", \"why\": \"…\"}]", other.String(), other.String(), link)
	}
	if path.Dir(n.String()) != path.Dir(other.String()) {
		f.Hint += "; a folder such as team/ belongs to others too: keep the one there"
	}
	return []Finding{f}
}

// indexed reports whether a line of the index is about a memory.
func (v *view) indexed(n memory.Name) bool {
	if v.After.Index == nil {
		return false
	}
	if v.entries == nil {
		v.entries = v.After.Index.ByFile()
	}
	_, ok := v.entries[n.String()]
	return ok
}

// compared returns the memories that are compared, sorted by name.
func (v *view) compared() ([]memory.Name, []*likeness.Reading) {
	if len(v.After.Topics) > maxCompared {
		return nil, nil
	}
	var names []memory.Name
	var readings []*likeness.Reading
	for _, n := range v.sortedNames() {
		if !isFolderIndex(n) {
			names, readings = append(names, n), append(readings, v.reading(n))
		}
	}
	return names, readings
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
