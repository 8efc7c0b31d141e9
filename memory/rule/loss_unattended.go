package rule

import (
	"dream-mcp/memory"
	"fmt"
	"strings"
)

// What a dream that nobody watches may take away: nothing of what the person said of themselves or
// taught, and of the rest one memory in ten, at least one (DESIGN, loss). What another memory tells
// as well (keptIn) is not taken away: a merge is no loss.
const (
	unattendedShare = 10 // one in so many of the rest
	unattendedWords = 4  // of a text that is rewritten, at least one in so many of its words must stay
)

// Forbidden returns what the law of unattended dreams says against the change of n, if anything.
func (c Check) Forbidden(n memory.Name) []Finding {
	v := c.view()
	why, forbidden := v.forbidden()[n]
	if !forbidden {
		return nil
	}
	return ruleOf("loss").named([]Finding{forbiddenFinding(n, why)})
}

// KeptElsewhere reports whether other memories say all that n said before the change: a merge or a new name is no loss.
func (c Check) KeptElsewhere(n memory.Name) bool { return c.view().keptElsewhere(n, "") }

func forbiddenFinding(n memory.Name, why string) Finding {
	return Finding{
		File: n.String(), Message: why + ": an unattended dream may not",
		Hint: "keep the memory, or merge it so that every fact of it stands in another first; what write_memory refuses so is kept as a proposal for the person, and accept_loss does not help",
	}
}

// forbidden returns what no unattended dream may do to which memory. It is nil in a dream that a person
// watches.
func (v *view) forbidden() map[memory.Name]string {
	if !v.unattended || v.before == nil {
		return nil
	}
	why := make(map[memory.Name]string)
	rest := 0
	var gone []memory.Name
	for _, n := range sortedNames(v.before.Topics) {
		was, is := v.before.Topics[n], v.after.Topics[n]
		kind := protectedType(n, was)
		if kind == "" {
			rest++
			if (is == nil || !isFolderIndex(n) && emptied(was.Body(), is.Body())) && !v.keptElsewhere(n, "") {
				gone = append(gone, n)
			}
			continue
		}
		switch {
		case is == nil && !v.keptElsewhere(n, kind):
			why[n] = fmt.Sprintf("a memory of type %s would be deleted, and no other says all that it says", kind)
		case is == nil:
		case protectedType(n, is) == "":
			why[n] = fmt.Sprintf("a memory of type %s would be of type %q", kind, is.Type())
		case shrinks(was.Body(), is.Body()) && !v.keptElsewhere(n, kind):
			why[n] = fmt.Sprintf("the text of a memory of type %s would lose more than half, or most of its words", kind)
		}
	}
	if allowed := max(1, rest/unattendedShare); len(gone) > allowed {
		for _, n := range gone {
			why[n] = fmt.Sprintf("%d of %d memories would be deleted or emptied of their words, at most %d may be; this is one", len(gone), rest, allowed)
		}
	}
	return why
}

// protectedType returns the type of a memory that is the person's own, user or feedback, and of any
// other "". Where no type stands, the name's beginning is one.
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

// keptElsewhere reports whether what n told is told by the memories as they would be. What is the
// person's own must stand in such a memory, and what was shared (in team/) among the shared.
func (v *view) keptElsewhere(n memory.Name, kind string) bool {
	t := v.before.Topics[n]
	text := t.Body()
	if len(memory.WordsOf(text)) == 0 {
		text = t.Description()
	}
	shared := n.TopFolder() == "team"
	var others []told
	for _, o := range v.sortedNames() {
		other := v.after.Topics[o]
		if kind != "" && protectedType(o, other) == "" || shared && o.TopFolder() != "team" {
			continue
		}
		if v.telling == nil {
			v.telling = make(map[memory.Name]told)
		}
		if _, read := v.telling[o]; !read {
			v.telling[o] = tell(other.Body())
		}
		others = append(others, v.telling[o])
	}
	return keptIn(text, others)
}

// shrinks reports whether a text becomes less than half as long, or loses most of its words.
func shrinks(was, is string) bool {
	return 2*len(strings.TrimSpace(is)) < len(strings.TrimSpace(was)) || emptied(was, is)
}

// emptied reports whether a text loses most of its words: to write something else in the place of a
// memory takes it away as a deletion does.
func emptied(was, is string) bool {
	before, after := tell(was).set, tell(is).set
	stay := 0
	for w := range before {
		if after[w] {
			stay++
		}
	}
	return unattendedWords*stay < len(before)
}
