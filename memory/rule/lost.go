package rule

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"dream-mcp/memory"
)

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

// Lost returns the sentences of merged memories without a counterpart in the survivor or one of others, each once, in
// the order of the texts. An accepted text covers a sentence if it has all the marked words.
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
