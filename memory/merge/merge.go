// Package merge merges the changes that two machines made to one memory.
//
// It promises, for any two changes of any memory: each line that either added is in the result, and each that both
// kept; what one removed and the other left alone is not; a memory that one deleted and the other edited stays; the
// result is the same whichever of the two comes first; and nothing is added that is in neither, except the line ends of
// the result, a line that quotes a field of the frontmatter which both changed, and the line of the index about a
// memory that one deleted and the other edited. Blank lines and the order within one place are not promised. There are
// no conflict markers: where both changed the same words, both versions are kept, and a Clash says so.
package merge

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// A Clash names a memory in which both sides changed the same thing: a person or a dream should look at it.
type Clash struct {
	Name memory.Name `json:"file"`
	Why  string      `json:"why"`
}

// Files merges the changes that lead from base to a and from base to b. It fails where a merged memory would be too
// large.
func Files(base, a, b map[memory.Name][]byte) (map[memory.Name][]byte, []Clash, error) {
	base, a, b = unify(base, a, b)
	merged := make(map[memory.Name][]byte)
	var notes []Clash
	for _, n := range names(base, a, b) {
		inBase, had := base[n]
		inA, hasA := a[n]
		inB, hasB := b[n]
		switch {
		case n.IsIndex():
		case hasA && hasB:
			text, clash := threeWay(inBase, inA, inB, topics)
			if len(text) > memory.MaxReadBytes {
				return nil, nil, fmt.Errorf("%s merged would be %w", n, memory.ErrTooLarge)
			}
			merged[n] = text
			if clash {
				notes = append(notes, Clash{n, "both sides changed the same lines: both versions are kept"})
			}
		case hasA && !(had && bytes.Equal(inA, inBase)), hasB && !(had && bytes.Equal(inB, inBase)):
			if merged[n] = inA; hasB {
				merged[n] = inB
			}
			if had {
				notes = append(notes, Clash{n, "one side deleted it and the other changed it: it stays"})
			}
		}
	}
	_, hasA := a[memory.IndexName]
	_, hasB := b[memory.IndexName]
	if text, clash := index(base, a, b, merged); len(text) > 0 || hasA && hasB {
		merged[memory.IndexName] = text
		if clash {
			notes = append(notes, Clash{memory.IndexName, "both sides changed the same lines: both versions are kept"})
		}
	}
	return merged, notes, nil
}

func names(sides ...map[memory.Name][]byte) []memory.Name {
	all := make(map[memory.Name]bool)
	for _, side := range sides {
		for n := range side {
			all[n] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(x, y memory.Name) int { return strings.Compare(x.String(), y.String()) })
}

// unify gives memories one name whose names a file system may take for one: the first of them in order.
func unify(sides ...map[memory.Name][]byte) (base, a, b map[memory.Name][]byte) {
	one := make(map[string]memory.Name)
	for _, n := range names(sides[1:]...) {
		if _, known := one[n.Fold()]; !known {
			one[n.Fold()] = n
		}
	}
	for i, side := range sides {
		sides[i] = maps.Clone(side)
		for n := range side {
			if first, known := one[n.Fold()]; known && first != n {
				if _, both := side[first]; !both {
					sides[i][first] = side[n]
					delete(sides[i], n)
				}
			}
		}
	}
	return sides[0], sides[1], sides[2]
}

// threeWay merges by merge what both sides changed, with lines that end in "\n". The lines of the result end as one
// side has made them, else as they did.
func threeWay(base, a, b []byte, merge func(base, a, b []byte) (string, bool)) (text []byte, clash bool) {
	switch {
	case bytes.Equal(a, b), bytes.Equal(b, base):
		return a, false
	case bytes.Equal(a, base):
		return b, false
	}
	merged, clash := merge(plain(base), plain(a), plain(b))
	crlf := func(data []byte) bool { return bytes.Contains(data, []byte("\r\n")) }
	if crlf(a) && crlf(b) || crlf(a) != crlf(b) && base != nil && !crlf(base) {
		merged = strings.ReplaceAll(merged, "\n", "\r\n")
	}
	return []byte(merged), clash
}

// plain has all lines end in "\n", the last one too.
func plain(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, '\n')
	}
	return data
}

// topics merges a memory that both sides have.
func topics(base, a, b []byte) (text string, clash bool) {
	tb, ta, to := memory.ParseTopic(base), memory.ParseTopic(a), memory.ParseTopic(b)
	baseHead, baseBody := tb.Segments()
	aHead, aBody := ta.Segments()
	bHead, bBody := to.Segments()
	var also []string
	head := weave(baseHead, aHead, bHead, func(base, a, b memory.Segment) memory.Segment {
		s, rest := field(base, a, b)
		if rest != "" {
			also = append(also, rest)
		}
		return s
	})
	body := weave(baseBody, aBody, bBody, nil)
	var out strings.Builder
	if ta.HasFrontmatter() || to.HasFrontmatter() {
		out.WriteString("---\n" + join(head.segments) + "---\n")
	}
	words := join(body.segments)
	out.WriteString(words)
	slices.Sort(also)
	for _, line := range slices.Compact(also) {
		if !strings.Contains(words, line+"\n") {
			out.WriteString("\n" + line + "\n")
		}
	}
	return out.String(), body.clash || len(also) > 0
}

func join(segments []memory.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// field merges a field of the frontmatter that both changed. Of times the latest is kept, for "created" the earliest;
// lists are joined; of other values one is kept, and the line rest quotes the other.
func field(base, a, b memory.Segment) (s memory.Segment, rest string) {
	if a.Text > b.Text {
		a, b = b, a
	}
	key := a.Field
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case "modified":
		return b, ""
	case "created":
		return a, ""
	}
	itemsA, listA := a.List()
	itemsB, listB := b.List()
	if listA && listB {
		had, _ := base.List()
		return a.WithList(items(had, itemsA, itemsB)), ""
	}
	if a.Value() == b.Value() {
		return a, ""
	}
	if len(b.Value()) > len(a.Value()) {
		a, b = b, a
	}
	return a, fmt.Sprintf("(%s is also given as: %s)", key, strings.Join(strings.Fields(b.Value()), " "))
}

// items merges two lists: what both have and what either added, in order.
func items(base, a, b []string) (all []string) {
	for _, item := range slices.Concat(a, b) {
		stays := !slices.Contains(base, item) || slices.Contains(a, item) && slices.Contains(b, item)
		if stays && !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// index merges the indexes: by the memory that a line is about, else line by line. It names what is merged, and no
// memory that is gone.
func index(base, a, b, merged map[memory.Name][]byte) (text []byte, clash bool) {
	text, clash = threeWay(base[memory.IndexName], a[memory.IndexName], b[memory.IndexName], func(base, a, b []byte) (string, bool) {
		w := weave(memory.ParseIndex(base).Segments(), memory.ParseIndex(a).Segments(), memory.ParseIndex(b).Segments(), entry)
		return join(w.segments), w.clash
	})
	xa, xb := memory.ParseIndex(a[memory.IndexName]), memory.ParseIndex(b[memory.IndexName])
	x := memory.ParseIndex(text)
	linked, inA, inB := x.ByFile(), xa.ByFile(), xb.ByFile()
	lacks := func(n memory.Name, side *memory.Index, inSide map[string]memory.Entry) bool {
		_, is := linked[n.String()]
		_, was := inSide[n.String()]
		was = was || base[n] != nil && len(text) > 0 && !x.Mentions(n) // it may have got a line between base and its deletion
		return !is && was || side.Mentions(n) && !x.Mentions(n)
	}
	var gone []string
	for _, n := range names(base, a, b) {
		switch _, stays := merged[n]; {
		case n.IsIndex():
		case !stays:
			gone = append(gone, n.String())
		case a[n] == nil && lacks(n, xb, inB): // a removed the line with the memory, which stays
			restore(x, n, xb, merged[n])
		case b[n] == nil && lacks(n, xa, inA):
			restore(x, n, xa, merged[n])
		}
	}
	if len(gone) > 0 {
		x.Remove(gone...)
	}
	return x.Bytes(), clash
}

// Entries applies to ours, an index, the changes that lead from base to theirs: by the memory that a line is about,
// else line by line. Of a line that ours changed too, that of ours stays.
func Entries(base, ours, theirs []byte) []byte {
	text, _ := threeWay(base, ours, theirs, func(base, ours, theirs []byte) (string, bool) {
		w := weave(memory.ParseIndex(base).Segments(), memory.ParseIndex(ours).Segments(), memory.ParseIndex(theirs).Segments(),
			func(_, ours, _ memory.Segment) memory.Segment { return ours })
		return join(w.segments), w.clash
	})
	return text
}

// restore names n in x as other does, else by its description.
func restore(x *memory.Index, n memory.Name, other *memory.Index, topic []byte) {
	e, named := other.ByFile()[n.String()]
	if !named {
		e.Title = strings.TrimSuffix(n.String(), ".md")
		if hook := memory.OneLine(memory.ParseTopic(topic).Description()); len(hook) <= 250 {
			e.Hook = hook
		}
	}
	x.Upsert(n, e.Title, e.Hook, e.Section)
}

// entry merges a line of the index that both changed: one is kept, and says what the other says too.
func entry(_, a, b memory.Segment) memory.Segment {
	if a.Text > b.Text {
		a, b = b, a
	}
	n, err := memory.ParseName(a.Entry)
	x := memory.ParseIndex([]byte(a.Text))
	mine, others := x.Entries(), memory.ParseIndex([]byte(b.Text)).Entries()
	if err != nil || len(mine) == 0 || len(others) == 0 {
		return memory.Segment{Key: a.Key, Text: a.Text + b.Text}
	}
	also := others[0].Hook
	if others[0].Title != mine[0].Title {
		also = strings.TrimSuffix(others[0].Title+": "+also, ": ")
	}
	if also != "" && !strings.Contains(a.Text, also) {
		x.Upsert(n, "", strings.TrimPrefix(mine[0].Hook+"; "+also, "; "), "")
	}
	return memory.Segment{Key: a.Key, Text: string(x.Bytes())}
}
