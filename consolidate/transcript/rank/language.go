package rank

import (
	"strings"
	"sync"
	"unicode"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
)

// A language is what a query's words are understood by. The texts are read in the query's language,
// whatever their own: both sides are stemmed alike.
type language struct {
	algorithm func(*snowball.Env) bool // nil: words are compared as they are

	light  map[string]bool   // stems that say little of what is asked
	stops  map[string]bool   // dropped: they stand in every text, or only ask
	roots  map[string]string // irregular forms
	nouns  bool              // nouns are capitalised, so that a capital is not a name
	letter string            // letters that no other of these languages has
}

// stem returns what a word has in common with its inflexions, folded.
func (l *language) stem(word string) string {
	word = strings.ToLower(composed(word))
	if number := strings.TrimLeft(word, "0"); len(word) == 2 && len(number) == 1 && number >= "1" && number <= "9" {
		return number
	}
	if root, ok := l.roots[word]; ok {
		word = root
	}
	if l.algorithm != nil && !strings.ContainsFunc(word, unicode.IsDigit) {
		env := snowball.NewEnv(word)
		l.algorithm(env)
		word = env.Current()
	}
	return foldWord(word)
}

// languages holds English first, which is also what a query in no known language is taken for.
var languages = sync.OnceValue(func() []*language {
	set := func(words string) map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	}
	all := []*language{
		{algorithm: english.Stem, stops: set(stopEnglish), roots: irregular(irregularEnglish)},
		{algorithm: german.Stem, stops: set(stopGerman), roots: irregular(irregularGerman), nouns: true, letter: "ß"},
		{algorithm: french.Stem, stops: set(stopFrench), letter: "çœêûîù"},
		{algorithm: spanish.Stem, stops: set(stopSpanish), letter: "ñ¿¡"},
		{algorithm: portuguese.Stem, stops: set(stopPortuguese), letter: "ãõ"},
		{algorithm: italian.Stem, stops: set(stopItalian)},
		{algorithm: dutch.Stem, stops: set(stopDutch)},
		{algorithm: russian.Stem, stops: set(stopRussian)},
	}
	for _, l := range all {
		l.light = map[string]bool{}
		for w := range strings.FieldsSeq(lightWords) {
			l.light[l.stem(w)] = true
		}
	}
	return all
})

// irregular maps every form in a line to the line's first word.
func irregular(lines string) map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(lines, ",") {
		forms := strings.Fields(line)
		for _, form := range forms {
			m[form] = forms[0]
		}
	}
	return m
}

// relatives are the synonyms, by group, as English stems.
var relatives = sync.OnceValue(func() [][]string {
	var groups [][]string
	for line := range strings.SplitSeq(synonyms, ",") {
		var group []string
		for w := range strings.FieldsSeq(line) {
			group = append(group, languages()[0].stem(w))
		}
		groups = append(groups, group)
	}
	return groups
})

// languageOf guesses by the words that only ask and bind, and by the letters: a query has few words,
// but most of them are of that kind.
func languageOf(words []string) *language {
	all := languages()
	best, most := all[0], 0
	text := strings.Join(words, " ")
	for _, l := range all {
		n := 0
		for _, w := range words {
			if l.stops[w] {
				n += 2
			}
		}
		if l.letter != "" && strings.ContainsAny(text, l.letter) {
			n += 3
		}
		if n > most {
			best, most = l, n
		}
	}
	if most == 0 && strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
		return all[len(all)-1]
	}
	return best
}
