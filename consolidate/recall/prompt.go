package recall

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/pasted"
	"dream-mcp/memory/related"
	"dream-mcp/memory/text"
)

// maxChosen is the number of memories that a prompt or a tool may call for.
const (
	maxChosen  = 2
	maxAsked   = 4000 // bytes of a prompt that are read
	maxTouched = 12   // memories that are read for a prompt
)

// A passage is shown if the names and rare words that it shares with the prompt weigh at least leastWeight, and more for a long
// prompt, in which some words meet by chance. A term weighs by its rarity among the memories, from 0 to 1; one that a
// third of the memories hold does not count. The numbers were chosen on 160 prompts of one person.
const (
	leastWeight = 1.3
	forLength   = 0.02 // for each term of the prompt beyond freeLength
	freeLength  = 20
	isRare      = 0.5
	ofWord      = 0.35 // weight of a word that is not a name
	minWords    = 5    // shared rare words that do without a name
	minName     = 4    // bytes of a name: PR and CLI are words
)

// A Note is a memory and the passage of it that a prompt touches.
type Note struct {
	*Memory
	Passage string
}

// A question is what a prompt asks the memories.
type question struct {
	terms map[string]bool // of what the person typed
	names map[string]bool // those that look like names
	least float64         // weight of a passage that is shown
}

func ask(prompt string) question {
	prompt = own(prompt)
	q := question{terms: map[string]bool{}, names: nameTerms(prompt)}
	eachTerm(prompt, func(_ string, _ text.Kind, of []string) {
		for _, t := range of {
			q.terms[t] = true
		}
	})
	q.least = leastWeight + forLength*float64(max(0, len(q.terms)-freeLength))
	return q
}

// weights returns what the terms weigh that are rare among topics.
func (q question) weights(topics map[string]summary) map[string]float64 {
	weights := map[string]float64{}
	for term := range q.terms {
		holders, hash := 0, hashOf(term)
		for _, s := range topics {
			if s.holds(hash) {
				holders++
			}
		}
		if w := text.Rarity(holders, len(topics)); holders > 0 && w >= isRare {
			weights[term] = w
		}
	}
	return weights
}

// touched returns the topics that hold enough of the terms for a passage of theirs to be shown, the best first, at most
// maxTouched.
func (q question) touched(topics map[string]summary, weights map[string]float64) (paths []string) {
	sums := map[string]float64{}
	terms := slices.Sorted(maps.Keys(weights)) // the sum of floats depends on the order
	hashes := make([]uint32, len(terms))
	for i, term := range terms {
		hashes[i] = hashOf(term)
	}
	for path, s := range topics {
		sum := 0.0
		for i, term := range terms {
			if s.holds(hashes[i]) {
				sum += weights[term]
			}
		}
		if sum >= q.least {
			sums[path], paths = sum, append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	return paths[:min(len(paths), maxTouched)]
}

// notes returns the passages that the question calls for, the best first, of at most maxChosen memories. Mostly there are
// none: names or rare words must meet in one passage. Descriptions are not among them, since the index shows these.
func (q question) notes(all []Memory, weights map[string]float64) (notes []Note) {
	type found struct {
		Note
		weight float64
	}
	var best []found
	for i := range all {
		m := &all[i]
		top := found{}
		for _, p := range (related.Document{File: m.Path, Body: m.Body}).Passages() {
			if p.Text == m.Description {
				continue
			}
			if w := weigh(p.Text, weights, q.names); w >= q.least && w > top.weight {
				top = found{Note{m, p.Text}, w}
			}
		}
		if top.Memory != nil {
			best = append(best, top)
		}
	}
	slices.SortStableFunc(best, func(a, b found) int { return cmp.Compare(b.weight, a.weight) })
	for _, f := range best[:min(len(best), maxChosen)] {
		notes = append(notes, f.Note)
	}
	return notes
}

// longPath matches a path or URL up to its last element.
const longPath = `[^\s"'()\[\]]*[\\/][^\s"'()\[\]]*[\\/]`

// own returns what a person typed of a prompt: without pasted lines and code, and without the folders of paths, which
// match what names the same machine.
func own(prompt string) string {
	prompt = prompt[:min(len(prompt), maxAsked)]
	lines := strings.Split(prompt, "\n")
	var kept []string
	for i, l := range pasted.Lines(lines, maxAsked) {
		if l.Fenced == 0 && !l.Logged && !l.Printed {
			kept = append(kept, lines[i])
		}
	}
	return regexp.MustCompile(longPath).ReplaceAllString(strings.Join(kept, "\n"), "")
}

func eachTerm(s string, do func(token string, kind text.Kind, terms []string)) {
	text.EachToken(s, func(token string, kind text.Kind) { do(token, kind, text.English().Terms(token, kind)) })
}

// weigh returns the weight of the terms that a passage shares with the prompt. The keys of asked are the prompt's names. Of words
// that a sign joins, only the whole counts.
func weigh(passage string, weights map[string]float64, asked map[string]bool) float64 {
	type token struct {
		text   string
		weight float64
		name   bool
	}
	var tokens []token
	counted := map[string]bool{}
	names := nameTerms(passage)
	eachTerm(passage, func(s string, kind text.Kind, terms []string) {
		one := token{text: s}
		for i, t := range terms {
			if w := weights[t]; w > 0 && !counted[t] {
				one.weight = max(one.weight, w)
				one.name = one.name || i == 0 && names[t] && (asked[t] || hasSign(s)) // a part of a name is a word
			}
			counted[t] = true
		}
		if kind == text.Compound { // its parts came before
			for len(tokens) > 0 && strings.Contains(s, tokens[len(tokens)-1].text) {
				last := tokens[len(tokens)-1]
				one.weight, one.name = max(one.weight, last.weight), one.name || last.name
				tokens = tokens[:len(tokens)-1]
			}
		}
		if one.weight > 0 {
			tokens = append(tokens, one)
		}
	})
	total, named, words := 0.0, 0, 0
	for _, t := range tokens {
		if t.name {
			named++
			total += t.weight
		} else {
			words++
			total += ofWord * t.weight
		}
	}
	if named == 0 && words < minWords {
		return 0
	}
	return total
}

// nameTerms returns the terms of a text that look like names: with a sign, a digit or a capital inside, or with a capital
// that does not begin a sentence.
func nameTerms(s string) map[string]bool {
	names, at := map[string]bool{}, 0
	eachTerm(s, func(token string, kind text.Kind, terms []string) {
		if kind == text.Pair || len(token) < minName {
			return
		}
		begins := false
		if i := strings.Index(s[at:], token); i >= 0 && kind == text.Plain {
			before := strings.TrimRight(s[:at+i], " \t\"'*`(#>|-")
			begins = before == "" || strings.ContainsAny(before[len(before)-1:], ".!?\n:;|")
			at += i
		}
		first, _ := utf8.DecodeRuneInString(token)
		if hasSign(token) || unicode.IsUpper(first) && !begins {
			for _, t := range terms {
				names[t] = true
			}
		}
	})
	return names
}

// hasSign reports whether a token has a sign, a digit or a capital after its first letter.
func hasSign(token string) bool {
	_, size := utf8.DecodeRuneInString(token)
	return strings.ContainsAny(token, "./_:@") ||
		strings.ContainsFunc(token, unicode.IsLetter) && strings.ContainsFunc(token[size:], func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}
