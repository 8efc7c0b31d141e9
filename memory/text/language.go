package text

import (
	"embed"
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

// A Language is what words are understood by: which are small words, and which are forms of one word. Texts that are
// compared are read in the same language, whatever their own: then both sides are stemmed alike.
type Language struct {
	Nouns bool // nouns are capitalised, so that a capital is not a name

	algorithm func(*snowball.Env) bool
	stops     map[string]bool
	roots     map[string]string // irregular forms
	letters   string            // that no other of these languages has
}

// Stops reports whether a word, in lower case, is a small one, which is in every text or only asks.
func (l *Language) Stops(word string) bool { return l.stops[word] }

// Stem returns what a word has in common with its inflexions, folded. A Cyrillic word is read as Russian.
func (l *Language) Stem(word string) string {
	word = strings.ToLower(Composed(word))
	if number := strings.TrimLeft(word, "0"); len(word) == 2 && len(number) == 1 && number >= "1" && number <= "9" {
		return number
	}
	if root, ok := l.roots[word]; ok {
		word = root
	}
	if !strings.ContainsFunc(word, unicode.IsDigit) {
		algorithm := l.algorithm
		if isCyrillic(word) {
			algorithm = russian.Stem
		}
		env := snowball.NewEnv(word)
		algorithm(env)
		word = env.Current()
	}
	return fold(word)
}

func isCyrillic(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
}

//go:embed words
var lists embed.FS

// Everyday holds words of everyday work in several languages, which any text may have.
//
//go:embed words/everyday.txt
var Everyday string

var everydayWords = sync.OnceValue(func() map[string]bool {
	stems := map[string]bool{}
	for w := range strings.FieldsSeq(Everyday) {
		stems[English().Stem(w)] = true
	}
	return stems
})

// IsEveryday reports whether an English stem, or a word of another language, is one of everyday work.
func IsEveryday(stem string) bool { return everydayWords()[stem] }

// list returns the text of a word list, or "".
func list(name string) string {
	data, _ := lists.ReadFile("words/" + name + ".txt")
	return string(data)
}

// languages holds English first, which is also what a text in no known language is taken for, and Russian last.
var languages = sync.OnceValue(func() []*Language {
	all := []*Language{
		{algorithm: english.Stem, stops: set(list("stop_en")), roots: irregular(list("irregular_en"))},
		{algorithm: german.Stem, stops: set(list("stop_de")), roots: irregular(list("irregular_de")), Nouns: true, letters: "ß"},
		{algorithm: french.Stem, stops: set(list("stop_fr")), letters: "çœêûîù"},
		{algorithm: spanish.Stem, stops: set(list("stop_es")), letters: "ñ¿¡"},
		{algorithm: portuguese.Stem, stops: set(list("stop_pt")), letters: "ãõ"},
		{algorithm: italian.Stem, stops: set(list("stop_it"))},
		{algorithm: dutch.Stem, stops: set(list("stop_nl"))},
		{algorithm: russian.Stem, stops: set(list("stop_ru"))},
	}
	return all
})

// set returns the words of a list.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

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

// English returns the language that a text in no known language is taken for.
func English() *Language { return languages()[0] }

// LanguageOf guesses the language of words in lower case by the small words among them and by the letters.
func LanguageOf(words []string) *Language {
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
		if l.letters != "" && strings.ContainsAny(text, l.letters) {
			n += 3
		}
		if n > most {
			best, most = l, n
		}
	}
	if most == 0 && isCyrillic(text) {
		return all[len(all)-1]
	}
	return best
}
