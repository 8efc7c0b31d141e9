package rule

import (
	"bytes"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// When a text is cut, and kept.
const (
	longBody  = 200 // bytes
	staying   = 4   // of its words, at least one in so many must stay
	keptWords = 90  // percent of its words must stand in sentences that others keep
)

// taken returns what the change takes away of a memory.
func (v *view) taken(n memory.Name) taken {
	was, is := v.Before.Topics[n], v.After.Topics[n]
	switch {
	case is == nil && v.Teams != nil && v.Teams(n):
		return teams
	case is == nil:
		return deletion
	case protectedType(n, was) != "" && protectedType(n, is) == "":
		return newType
	}
	size := bodySize(was)
	half, other := 2*bodySize(is) < size, v.emptied(was, is)
	switch long := size >= longBody; {
	case long && (half || other), half && other:
		return cut
	case half || other:
		return shortened
	}
	return ""
}

func bodySize(t *memory.Topic) int { return len(bytes.TrimSpace([]byte(t.Body()))) }

// protectedType returns the type of a memory that is the person's own, user or feedback, and of any
// other "". Without a type the beginning of the name is one.
func protectedType(n memory.Name, t *memory.Topic) string {
	kind := strings.ToLower(t.Type())
	if kind == "" {
		kind, _, _ = strings.Cut(memory.StemOf(n.String()), "_")
	}
	if kind == memory.TypeUser || kind == memory.TypeFeedback {
		return kind
	}
	return ""
}

// keptElsewhere reports whether the other memories as they would be say what n said, one or another of them. What is
// the person's own must be in such a memory, and what was shared (in team/) among the shared.
func (v *view) keptElsewhere(n memory.Name) bool {
	t := v.Before.Topics[n]
	said, own, shared := v.claim(t), protectedType(n, t) != "", n.TopFolder() == "team"
	for _, o := range v.sortedNames() {
		other := v.After.Topics[o]
		if own && protectedType(o, other) == "" || shared && o.TopFolder() != "team" {
			continue
		}
		said.find(v.terms(other))
	}
	return said.share() >= keptWords
}

// claim returns what the text of a memory says, or if that is empty, its description.
func (v *view) claim(t *memory.Topic) *claim {
	r := v.textReader()
	if c := r.claim(t.Body()); c.all > 0 {
		return c
	}
	return r.claim(t.Description())
}

// terms returns the terms of a memory's text.
func (v *view) terms(t *memory.Topic) map[string][]int {
	if v.known[t] == nil {
		v.known[t] = v.textReader().terms(t.Body())
	}
	return v.known[t]
}

// emptied reports whether a text loses most of its words: to write something else in the place of a
// memory takes it away as a deletion does.
func (v *view) emptied(was, is *memory.Topic) bool {
	before, after, stay := v.terms(was), v.terms(is), 0
	for term := range before {
		if after[term] != nil {
			stay++
		}
	}
	return staying*stay < len(before)
}

// lostLines returns the files of the lines of the index whose file was missing and that would no longer say what they
// said. Such a line is the only record of it.
func (v *view) lostLines() map[memory.Name]bool {
	lost := make(map[memory.Name]bool)
	if v.Before == nil || v.Before.Index == nil {
		return lost
	}
	was := &view{Check: Check{After: v.Before}, inProject: v.inProject}
	for _, e := range was.dangling() {
		if v.leads(memory.IndexName, ref{target: e.File}) || v.After.Index != nil &&
			slices.ContainsFunc(v.After.Index.Entries(), func(o memory.Entry) bool { return o.Title == e.Title && o.Hook == e.Hook }) {
			continue
		}
		n, err := memory.ParseName(e.File)
		if err != nil { // a loss is accepted by a name
			n = memory.IndexName
		}
		lost[n] = true
	}
	return lost
}
