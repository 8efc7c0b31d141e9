package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
)

// What a dream that nobody watches may take away: nothing of what the person said of themselves or
// taught, and of the rest one memory in ten, at least one.
const (
	unattendedShare = 10 // one in so many of the rest
	unattendedWords = 4  // of a text that is rewritten, at least one in so many of its words must stay
	keptWords       = 90 // percent of the words of a text that must stand in sentences that others keep
)

// Forbidden returns what the law of unattended dreams says against the change of n, if anything.
func (c Check) Forbidden(n memory.Name) []Finding {
	why, forbidden := c.view().forbidden()[n]
	if !forbidden {
		return nil
	}
	return []Finding{forbiddenFinding(n, why)}
}

// KeptElsewhere reports whether other memories say all that n said before the change: a merge or a new name is not a loss.
func (c Check) KeptElsewhere(n memory.Name) bool { return c.view().keptElsewhere(n, "") }

func forbiddenFinding(n memory.Name, why string) Finding {
	return Finding{
		Rule: "loss", Severity: Error, File: n.String(), Message: why + ": an unattended dream may not",
		Hint: "keep the memory, or merge it so that another says every fact of it first; " +
			"what write_memory refuses so is kept as a proposal for the person, and accept_loss does not help",
	}
}

// forbidden returns what no unattended dream may do to which memory. It is nil in a dream that a person
// watches.
func (v *view) forbidden() map[memory.Name]string {
	if !v.Unattended || v.Before == nil {
		return nil
	}
	why := v.takenAway(lossLaw{
		loses: func(kind string, was, is *memory.Topic) bool {
			return kind != "" && 2*bodySize(is) < bodySize(was) || v.emptied(was, is)
		},
		tooMany: func(gone, rest, _ int) string {
			allowed := max(1, rest/unattendedShare)
			if gone <= allowed {
				return ""
			}
			return fmt.Sprintf("%d of %d memories would be deleted or emptied of their words, at most %d may be; this is one", gone, rest, allowed)
		},
	})
	for n, was := range v.Before.Topics {
		if is := v.After.Topics[n]; was.IsPersons() && (is == nil || !is.Equal(was)) {
			why[n] = "a memory of the person in all their projects would be changed"
		}
	}
	return why
}

// TakenAway says of each memory that the change takes away, and that a write outside a dream may not, why. Before is the memory
// as it was before the writes that are counted together. A short text may say something else in as many words: that
// corrects it.
func (c Check) TakenAway() map[memory.Name]string {
	v := c.view().exact
	return v.takenAway(lossLaw{
		loses: func(_ string, was, is *memory.Topic) bool {
			short, less := bodySize(was) < lossMinBody, 2*bodySize(is) < bodySize(was)
			return less && !short || (less || !short) && v.emptied(was, is)
		},
		tooMany: func(gone, _, all int) string {
			if all < lossMinTopics || 4*gone <= all {
				return ""
			}
			return fmt.Sprintf("%d of %d memories would be deleted or emptied within an hour, more than a quarter", gone, all)
		},
	})
}

// lossLaw says what may not be taken away where nobody is asked: nothing of a user or feedback memory, and not too
// many of the rest.
type lossLaw struct {
	loses   func(kind string, was, is *memory.Topic) bool // a text that is changed loses what it said
	tooMany func(gone, rest, all int) string              // why so many of the rest may not go, or ""
}

// takenAway returns which memories the change takes away, and why it may not. What other memories still say (keptElsewhere) is not
// taken away: a merge or a new name is not a loss.
func (v *view) takenAway(law lossLaw) map[memory.Name]string {
	why := make(map[memory.Name]string)
	rest, all := 0, 0
	var gone []memory.Name
	for _, n := range sortedNames(v.Before.Topics) {
		was, is := v.Before.Topics[n], v.After.Topics[n]
		if is != nil && isFolderIndex(n) {
			continue
		}
		all++
		kind := protectedType(n, was)
		if kind == "" {
			rest++
		}
		var message string
		switch {
		case is == nil:
			message = fmt.Sprintf("a memory of type %s would be deleted, and no other says all that it says", kind)
		case kind != "" && protectedType(n, is) == "":
			message = fmt.Sprintf("a memory of type %s would be of type %q", kind, is.Type())
		case law.loses(kind, was, is):
			message = fmt.Sprintf("the text of a memory of type %s would lose more than half, or most of its words", kind)
		}
		switch {
		case message == "" || v.keptElsewhere(n, kind):
		case kind == "":
			gone = append(gone, n)
		default:
			why[n] = message
		}
	}
	if message := law.tooMany(len(gone), rest, all); message != "" {
		for _, n := range gone {
			why[n] = message
		}
	}
	return why
}

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

// keptElsewhere reports whether the memories as they would be say what n said, one or another of them. What is the person's own
// must be in such a memory, and what was shared (in team/) among the shared.
func (v *view) keptElsewhere(n memory.Name, kind string) bool {
	t := v.Before.Topics[n]
	said := v.claim(t)
	shared := n.TopFolder() == "team"
	for _, o := range v.sortedNames() {
		other := v.After.Topics[o]
		if kind != "" && protectedType(o, other) == "" || shared && o.TopFolder() != "team" {
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
	return unattendedWords*stay < len(before)
}
