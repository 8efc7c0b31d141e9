package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
)

// Dropped returns the sentences of a memory's body without a counterpart in its new text that lack an exact word there:
// a name, a number, code, a negation or a condition. Who writes a new text has replaced the description.
func Dropped(n memory.Name, before, after *memory.Topic) (dropped []Fact) {
	c := counterpartsFor(map[memory.Name]*memory.Topic{n: before}, n, after)
	for s, gone := range c.lacking(before.Body()) {
		if slices.ContainsFunc(gone, word.isExact) {
			dropped = addFact(dropped, n, s, gone)
		}
	}
	return dropped
}

// maxCorrected bounds the words that a correction replaces.
const maxCorrected = 3

// Corrects reports whether a new text has other words in the place of some of an old one: as many numbers, names and
// others, and the same negations and conditions.
func Corrects(old, new string) bool {
	r := newReader(old + "\n" + new)
	gone, kinds := r.beyond(old, new), make(map[string]int)
	for _, w := range gone {
		kinds[w.kind()]++
	}
	for _, w := range r.beyond(new, old) {
		kinds[w.kind()]--
	}
	for kind, left := range kinds {
		if left > 0 || left < 0 && (kind == negation || kind == condition) {
			return false
		}
	}
	return len(gone) > 0 && len(gone) <= maxCorrected
}

// Corrections returns the edits that a whole new text makes: in the place of a fact it has a sentence that none of the
// old ones has, and that has another number, name or code in the place of one. A sentence that could replace two facts,
// or one of two that could replace a fact, is left out.
func Corrections(facts []Fact, old []*memory.Topic, new *memory.Topic) (edits []memory.Edit) {
	r := newReader(new.Body())
	before := ""
	for _, t := range old {
		before += memory.OneLine(t.Description()+"\n"+t.Body()) + "\n"
	}
	plain := strings.NewReplacer("⟨", "", "⟩", "")
	replaces, by := make(map[string][]string), make(map[string]int) // the facts that a sentence can replace, and how many can replace a fact
	var fresh []string
	for _, s := range sentencesOf(new.Description() + "\n\n" + new.Body()) {
		if strings.Contains(before, memory.OneLine(s.text)) || slices.Contains(fresh, s.text) {
			continue
		}
		fresh = append(fresh, s.text)
		for _, f := range facts {
			if text := plain.Replace(f.Text); !slices.Contains(replaces[s.text], text) && r.sameButValue(text, s.text) {
				replaces[s.text] = append(replaces[s.text], text)
				by[text]++
			}
		}
	}
	for _, s := range fresh {
		if all := replaces[s]; len(all) == 1 && by[all[0]] == 1 {
			edits = append(edits, memory.Edit{Old: all[0], New: s})
		}
	}
	return edits
}

// sameButValue reports whether each of two sentences lacks one word of the other, and both words are numbers, or names
// or code.
func (r *reader) sameButValue(a, b string) bool {
	of := r.beyond(a, b)
	if len(of) != 1 || !of[0].exact || of[0].term == negation || of[0].term == condition {
		return false
	}
	other := r.beyond(b, a)
	return len(other) == 1 && other[0].kind() == of[0].kind()
}

// beyond returns the words of a text that another lacks.
func (r *reader) beyond(s, other string) []word {
	has := r.terms(other)
	return slices.DeleteFunc(r.read(sentence{text: s}), func(w word) bool { return has[w.term] != nil })
}

// kind returns the same text for words of which one can replace the other in a correction.
func (w word) kind() string {
	if w.term == negation || w.term == condition {
		return w.term
	}
	return fmt.Sprint(w.exact, strings.ContainsFunc(w.term, unicode.IsNumber))
}
