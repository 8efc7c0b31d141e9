package rule

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
)

// Whether a text keeps the sentences of another. Words are compared, not what they mean: a sentence that is translated or said in
// other words is not found, one that says the opposite without a word of negation is.

// A Fact is a sentence of a merged memory without a counterpart in the one that it was merged into. The words that the
// nearest passage there lacks are marked: ⟨word⟩.
type Fact struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// MaxMerged bounds the texts of one merge, in bytes: the time to compare them grows with their product.
const MaxMerged = 128 << 10

// RestOf returns the accepted text that covers all sentences of a merged memory.
func RestOf(file string) string { return "the rest of " + file }

// Dropped returns the sentences of a memory's body without a counterpart in its new text that lack an exact word there: a name, a
// number, code, a negation or a condition. Who writes a new text has replaced the description.
func Dropped(n memory.Name, before, after *memory.Topic) (dropped []Fact) {
	c := counterpartsFor(map[memory.Name]*memory.Topic{n: before}, n, after)
	for s, gone := range c.lacking(before.Body()) {
		if slices.ContainsFunc(gone, word.isExact) {
			dropped = addFact(dropped, n, s, gone)
		}
	}
	return dropped
}

// Lost returns the sentences of merged memories without a counterpart in the survivor or one of others, each once, in the order of the
// texts. An accepted text covers a sentence if it has all the marked words.
func Lost(merged map[memory.Name]*memory.Topic, into memory.Name, survivor *memory.Topic, others []*memory.Topic, accepted ...string) (lost []Fact) {
	c := counterpartsFor(merged, into, survivor)
	for _, o := range others {
		c.others = append(c.others, c.terms(wholeText(o)))
	}
	for _, a := range accepted {
		c.accepted = append(c.accepted, c.terms(a))
	}
	for _, n := range memory.SortedNames(merged) {
		if slices.Contains(accepted, RestOf(n.String())) {
			continue
		}
		for s, gone := range c.lacking("# " + merged[n].Description() + "\n\n" + merged[n].Body()) {
			lost = addFact(lost, n, s, gone)
		}
	}
	return lost
}

// addFact adds a sentence of n, unless the facts have it already.
func addFact(facts []Fact, n memory.Name, sentence string, gone []word) []Fact {
	f := Fact{n.String(), memory.OneLine(marked(sentence, gone))}
	if slices.Contains(facts, f) {
		return facts
	}
	return append(facts, f)
}

// counterparts are the texts where the sentences of merged memories may have a counterpart.
type counterparts struct {
	*reader
	unnamed  *strings.Replacer // removes the names of the merged memories and of the survivor
	survivor map[string][]int  // its terms, with their places, as of the others
	near     int               // as of uncovered
	others   []map[string][]int
	accepted []map[string][]int
}

func counterpartsFor(merged map[memory.Name]*memory.Topic, into memory.Name, survivor *memory.Topic) *counterparts {
	var names []string
	for _, n := range append(memory.SortedNames(merged), into) {
		names = append(names, "[["+memory.StemOf(n.String())+"]]", " ", n.String(), " ")
	}
	sample := survivor.Body()
	for _, t := range merged {
		sample += "\n" + t.Body()
	}
	c := &counterparts{reader: newReader(sample), unnamed: strings.NewReplacer(names...)}
	c.survivor = c.terms(wholeText(survivor))
	for _, at := range c.survivor {
		c.near += len(at)
	}
	if c.near > shortMemory {
		c.near = 0
	}
	return c
}

// lacking returns the sentences of a text that are not covered, with the words that the survivor lacks.
func (c *counterparts) lacking(text string) iter.Seq2[string, []word] {
	return func(yield func(string, []word) bool) {
		for _, s := range sentencesOf(text) {
			s.text = c.unnamed.Replace(s.text)
			words := c.read(s)
			gone := uncovered(words, c.survivor, c.near)
			if !c.covered(s, words, gone) && !yield(s.text, gone) {
				return
			}
		}
	}
}

// covered reports whether nothing is lost with the words of a sentence that the survivor lacks.
func (c *counterparts) covered(s sentence, words, gone []word) bool {
	if len(gone) == 0 {
		return true
	}
	if s.heading && !slices.ContainsFunc(gone, word.isExact) {
		return true
	}
	for _, o := range c.others {
		if uncovered(words, o, 0) == nil {
			return true
		}
	}
	for _, a := range c.accepted {
		if !slices.ContainsFunc(gone, func(w word) bool { return a[w.term] == nil }) {
			return true
		}
	}
	return false
}

// maxCorrected bounds the words that a correction replaces.
const maxCorrected = 3

// Corrects reports whether a new text has other words in the place of some of an old one: as many numbers, names and others, and the
// same negations and conditions.
func Corrects(old, new string) bool {
	r := newReader(old + "\n" + new)
	kinds := make(map[string]int)
	beyond := func(s string, others map[string][]int, count int) (n int) {
		for _, w := range r.read(sentence{text: s}) {
			if others[w.term] == nil {
				kind := fmt.Sprint(w.exact, strings.ContainsFunc(w.term, unicode.IsNumber))
				if w.term == negation || w.term == condition {
					kind = w.term
				}
				kinds[kind] += count
				n++
			}
		}
		return n
	}
	gone := beyond(old, r.terms(new), 1)
	beyond(new, r.terms(old), -1)
	for kind, left := range kinds {
		if left > 0 || left < 0 && (kind == negation || kind == condition) {
			return false
		}
	}
	return gone > 0 && gone <= maxCorrected
}

// Corrections returns the edits that a whole new text makes: in the place of a fact it has a sentence that none of the old ones has,
// and that has another number, name or code in the place of one. A sentence that could replace two facts, or one of two that
// could replace a fact, is left out.
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

// sameButValue reports whether each of two sentences lacks one word of the other, and both words are numbers, or names or code.
func (r *reader) sameButValue(a, b string) bool {
	value := func(s, other string) (kind string) {
		has := r.terms(other)
		for _, w := range r.read(sentence{text: s}) {
			if has[w.term] != nil {
				continue
			}
			if kind != "" || !w.exact || w.term == negation || w.term == condition {
				return ""
			}
			kind = fmt.Sprint(strings.ContainsFunc(w.term, unicode.IsNumber))
		}
		return kind
	}
	kind := value(a, b)
	return kind != "" && kind == value(b, a)
}

// A claim is a text whose sentences are looked for in other texts.
type claim struct {
	left      [][]word // the words of the sentences that were not found yet
	all, kept int      // words
}

// claim returns what a text says. Of a heading only the exact words count.
func (r *reader) claim(body string) *claim {
	c := &claim{}
	for _, s := range sentencesOf(body) {
		words := slices.DeleteFunc(r.read(s), func(w word) bool { return s.heading && !w.exact })
		if len(words) > 0 {
			c.left, c.all = append(c.left, words), c.all+len(words)
		}
	}
	return c
}

// find looks for the sentences in the terms of a text.
func (c *claim) find(has map[string][]int) {
	c.left = slices.DeleteFunc(c.left, func(words []word) bool {
		found := len(uncovered(words, has, 0)) == 0
		if found {
			c.kept += len(words)
		}
		return found
	})
}

// share returns the percentage of the words that stand in sentences that were found.
func (c *claim) share() int {
	if c.all == 0 {
		return 100
	}
	return 100 * c.kept / c.all
}

// A sentence has a counterpart where words near each other have all of its exact words, its last word, and one of any two neighbours:
// to say it otherwise changes single words, and what is lost is mostly a clause, or the end. Of 79 texts that lost something, in four
// languages, it names 74, and of 62 that were said otherwise 5. A single adjective is lost unseen.
const (
	nearWords = 2 // the words that are looked at are so many times those of the sentence, and
	nearMore  = 24

	shortMemory = 80 // words of a memory that all count as near each other, for a merge
)

// particles are a part of the verb before them.
var particles = map[string]bool{"up": true, "down": true, "through": true, "out": true, "off": true, "over": true, "away": true}

// uncovered returns the words that a text lacks where it has most of them, or nil if it has a counterpart there. At least so many
// words are near each other.
func uncovered(words []word, has map[string][]int, near int) []word {
	type hit struct{ at, term int }
	var hits []hit
	var weights []int // how many of the words have a term
	terms, termOf := make(map[string]int), make([]int, len(words))
	for i, w := range words {
		t, known := terms[w.term]
		if !known { // each once: a text may repeat one term thousands of times
			t = len(weights)
			terms[w.term], weights = t, append(weights, 0)
			for _, at := range has[w.term] {
				hits = append(hits, hit{at, t})
			}
		}
		weights[t]++
		termOf[i] = t
	}
	slices.SortFunc(hits, func(a, b hit) int { return a.at - b.at })
	width := max(near, nearWords*len(words)+nearMore)
	count, covered, most, from, best := make([]int, len(weights)), 0, 0, 0, [2]int{}
	for to, h := range hits {
		for ; hits[from].at <= h.at-width; from++ {
			if t := hits[from].term; count[t] == 1 {
				covered -= weights[t]
			}
			count[hits[from].term]--
		}
		if count[h.term]++; count[h.term] == 1 {
			covered += weights[h.term]
		}
		if covered > most {
			most, best = covered, [2]int{from, to + 1}
		}
	}
	clear(count)
	for _, h := range hits[best[0]:best[1]] {
		count[h.term]++
	}
	var gone []word
	kept, absent := true, false
	for i, w := range words {
		before := absent
		if absent = count[termOf[i]] == 0; absent {
			gone = append(gone, w)
			kept = kept && !w.exact && (!before || particles[w.term])
		}
	}
	if kept && !absent {
		return nil
	}
	return gone
}

// marked returns a sentence with some of its words marked, neighbours together.
func marked(s string, words []word) string {
	slices.SortFunc(words, func(a, b word) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for i := 0; i < len(words); {
		from, to := words[i].from, words[i].to
		for i++; i < len(words) && strings.Trim(s[to:max(to, words[i].from)], " ") == ""; i++ {
			to = max(to, words[i].to)
		}
		fmt.Fprintf(&out, "%s⟨%s⟩", s[at:from], s[from:to])
		at = to
	}
	return out.String() + s[at:]
}
