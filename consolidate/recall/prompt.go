package recall

import (
	"cmp"
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
	maxMatches = 12   // passages that are looked at
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

// A Note is a memory and the passage of it that a prompt touches. Without a passage it stands for the whole memory.
type Note struct {
	*Memory
	Passage string
}

// ForPrompt returns the passages that a prompt calls for, the best first, of at most maxChosen memories. Mostly there are
// none: names or rare words must meet in one passage. Descriptions are not among them, since the index shows these.
func ForPrompt(prompt string, all []Memory) (notes []Note) {
	prompt = own(prompt)
	docs := make([]related.Document, len(all))
	byPath := make(map[string]*Memory, len(all))
	for i := range all {
		docs[i] = related.Document{File: all[i].Path, Description: all[i].Description, Body: all[i].Body, BodyAt: 2}
		byPath[all[i].Path] = &all[i]
	}
	asked, least := nameTerms(prompt), leastWeight+forLength*float64(max(0, countTerms(prompt)-freeLength))
	type found struct {
		hit    related.Hit
		weight float64
	}
	var best []found
	for _, hit := range related.New(docs).Touched(related.Question{Text: prompt, Max: maxMatches, PerFile: 3}) {
		if hit.Text == byPath[hit.File].Description {
			continue
		}
		if weight := weigh(hit, asked); weight >= least {
			best = append(best, found{hit, weight})
		}
	}
	slices.SortStableFunc(best, func(a, b found) int { return cmp.Compare(b.weight, a.weight) })
	for _, f := range best {
		m := byPath[f.hit.File]
		if len(notes) < maxChosen && !slices.ContainsFunc(notes, func(n Note) bool { return n.Memory == m }) {
			notes = append(notes, Note{m, f.hit.Text})
		}
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

func countTerms(s string) int {
	terms := map[string]bool{}
	eachTerm(s, func(_ string, _ text.Kind, of []string) {
		for _, t := range of {
			terms[t] = true
		}
	})
	return len(terms)
}

func eachTerm(s string, do func(token string, kind text.Kind, terms []string)) {
	text.EachToken(s, func(token string, kind text.Kind) { do(token, kind, text.English().Terms(token, kind)) })
}

// weigh returns what the terms weigh that a passage shares with a prompt, of which asked are the names. Of words that a
// sign joins, only the whole counts.
func weigh(hit related.Hit, asked map[string]bool) float64 {
	weights := make(map[string]float64, len(hit.Shared))
	for _, t := range hit.Shared {
		if t.Weight >= isRare {
			weights[t.Text] = t.Weight
		}
	}
	type token struct {
		text   string
		weight float64
		name   bool
	}
	var tokens []token
	counted := map[string]bool{}
	names := nameTerms(hit.Text)
	eachTerm(hit.Text, func(s string, kind text.Kind, terms []string) {
		one := token{text: s}
		for i, t := range terms {
			if w := weights[t]; w > 0 && !counted[t] {
				one.weight = max(one.weight, w)
				one.name = one.name || i == 0 && names[t] && (asked[t] || hasSign(s)) // a part of a name is a word
			}
			counted[t] = true
		}
		if kind == text.Whole { // its parts came before
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
