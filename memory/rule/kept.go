package rule

import (
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// Whether others still say what a memory said. Words are compared, not what they mean: a fact
// counts as kept where nearly all of its words stand close together in another memory, those among
// them that carry a digit or stand in backticks without exception. So a text that says the same in
// other words is not recognised, which costs a proposal, and one that says the opposite in the same
// words is taken for the same, which no comparison of words can tell.
const (
	keptWords = 85  // percent of the words of a fact that must stand together
	keptFacts = 90  // percent of a text's words that must belong to facts that are kept
	maxFacts  = 500 // a text of more is never taken for kept: to look for each would take seconds
)

// fact is a sentence, or the piece of one in a line, as the set of its words.
type fact struct {
	length int // in words
	words  map[string]bool
	exact  map[string]bool // those that must be there as they are
}

// labels begin the lines of a memory that give a reason and a use, as Claude Code asks for them. They say nothing.
var labels = lazy.New(`(?i)^\W*\*\*(why|how to apply):?\*\*:?`)

// factsOf parts a text into facts. What has no words is none.
func factsOf(body string) []fact {
	var facts []fact
	for line := range strings.Lines(body) {
		for _, sentence := range text.Sentences(labels.ReplaceAllString(line, "")) {
			f := fact{words: make(map[string]bool), exact: make(map[string]bool)}
			for i, part := range strings.Split(sentence, "`") {
				for _, w := range memory.WordsOf(part) {
					f.length++
					f.words[w] = true
					if i%2 == 1 || strings.IndexFunc(w, unicode.IsNumber) >= 0 {
						f.exact[w] = true
					}
				}
			}
			if len(f.words) > 0 {
				facts = append(facts, f)
			}
		}
	}
	return facts
}

// wording is the words of a text, in which facts are looked for.
type wording struct {
	words []string
	set   map[string]bool
}

func wordingOf(text string) wording {
	t := wording{words: memory.WordsOf(text), set: make(map[string]bool)}
	for _, w := range t.words {
		t.set[w] = true
	}
	return t
}

// says reports whether f is said in one place: within about twice its length in words, and a few.
func (t wording) says(f fact) bool {
	all := func(near map[string]bool) bool {
		return common(f.exact, near) == len(f.exact) && 100*common(f.words, near) >= keptWords*len(f.words)
	}
	if !all(t.set) {
		return false
	}
	step, width := (f.length+1)/2, 2*f.length+8
	for at := 0; at < len(t.words); at += step {
		near := make(map[string]bool)
		for _, w := range t.words[at:min(at+width, len(t.words))] {
			near[w] = true
		}
		if all(near) {
			return true
		}
	}
	return false
}

// keptIn reports whether one or another of the others says nearly all that a text says.
func keptIn(text string, others []wording) bool {
	facts := factsOf(text)
	if len(facts) > maxFacts {
		return false
	}
	all, kept := 0, 0
	for _, f := range facts {
		all += len(f.words)
		for _, other := range others {
			if other.says(f) {
				kept += len(f.words)
				break
			}
		}
	}
	return 100*kept >= keptFacts*all
}

// common counts the words that two sets have in common.
func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
