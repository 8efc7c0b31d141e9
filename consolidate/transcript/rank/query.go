package rank

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/text"
)

// ErrNoWords says that a query holds nothing to look for.
var ErrNoWords = errors.New("the query has no words")

// A Query is a question, taken apart. It is safe for concurrent use.
type Query struct {
	terms []term
	words *lexis
}

// A term is one thing that is looked for, under any of its forms.
type term struct {
	text   string
	weight float64
	name   bool // capitalised within a sentence
}

// traits are what a turn is, besides the terms that it holds.
type traits uint8

const (
	byUser traits = 1 << iota
	question
	elliptic
	endsAsking
)

// Weights of a term besides its rarity.
const (
	numeral    = 1.3 // numbers are what a question is sure of
	slight     = 0.4 // a light word
	partial    = 0.5 // a part of an identifier that is looked for as a whole too
	bigram     = 0.7 // a word of a dense script makes several
	kanaBigram = 0.25
)

// Parse takes a query apart: words become stems in the query's language, identifiers are split and
// kept whole, the words that only ask are dropped, scripts without spaces are cut into pairs. Only the first 4 KiB and 128 terms
// are read, and of these the 32 that are rarest in what is searched are scored. It fails with ErrNoWords.
func Parse(question string) (*Query, error) {
	if len(question) > maxQuery {
		question = strings.ToValidUTF8(question[:maxQuery], "")
	}
	tokens := text.Words(text.Composed(question))
	plain := make([]string, len(tokens))
	for i, t := range tokens {
		plain[i] = strings.ToLower(t.Text)
	}
	lang := text.LanguageOf(plain)
	q := &Query{
		words: &lexis{lang: lang, forms: map[string][]credit{}, pairs: map[uint64]uint8{}},
	}

	b := builder{Query: q, lang: lang, light: lightStems(lang)}
	b.add(tokens, plain, false)
	if len(q.terms) == 0 {
		b.add(tokens, plain, true) // nothing but small words: then these are meant
	}
	if len(q.terms) == 0 {
		return nil, ErrNoWords
	}
	b.relate()
	return q, nil
}

// Terms returns what is looked for, in the query's order, as words or pairs of characters.
func (q *Query) Terms() []string {
	words := make([]string, len(q.terms))
	for i, t := range q.terms {
		words[i] = t.text
	}
	return words
}

// builder gives a query its terms.
type builder struct {
	*Query
	lang  *text.Language
	light map[string]bool
}

func (b *builder) add(tokens []text.Word, plain []string, stops bool) {
	for i, t := range tokens {
		switch {
		case t.Dense:
			b.addDense(t.Text, stops)
		case len(t.Text) <= maxWord && (stops || !b.lang.Stops(plain[i])):
			b.addWord(t)
		}
	}
}

func (b *builder) addWord(t text.Word) {
	weight := 1.0
	stem := b.lang.Stem(strings.ReplaceAll(t.Text, "_", ""))
	first, _ := utf8.DecodeRuneInString(t.Text)
	capital := unicode.IsUpper(first)
	switch {
	case strings.ContainsFunc(t.Text, unicode.IsDigit):
		weight *= numeral
	case b.light[stem]:
		weight *= slight
	}
	n, fresh := b.term(t.Text, stem, weight)
	if fresh && capital && !t.Opens && !b.lang.Nouns {
		b.terms[n].name = true
	}
	for _, part := range text.Parts(t.Text) {
		b.term(part, b.lang.Stem(part), weight*partial)
	}
}

// term adds a stem, unless it is there or there is no room; fresh says that it was added.
func (b *builder) term(word, stem string, weight float64) (n int, fresh bool) {
	if stem == "" {
		return 0, false
	}
	if c := b.words.forms[stem]; len(c) > 0 {
		n = int(c[0].term)
		b.terms[n].weight = max(b.terms[n].weight, weight)
		return n, false
	}
	if len(b.terms) == maxTerms {
		return 0, false
	}
	n = len(b.terms)
	b.terms = append(b.terms, term{text: word, weight: weight})
	b.words.forms[stem] = []credit{{uint8(n), whole}}
	own := stem
	if strings.ContainsFunc(stem, unicode.IsDigit) {
		own = ""
	}
	for len(b.words.stems) < n {
		b.words.stems = append(b.words.stems, "")
	}
	b.words.stems = append(b.words.stems, own)
	return n, true
}

func (b *builder) addDense(run string, stops bool) {
	runs := []string{run}
	if !stops {
		runs = text.DenseRuns(run)
	}
	for _, run := range runs {
		runes := []rune(run)
		if hangul := len(runes) > 2 && runes[0] >= 0xAC00 && runes[0] <= 0xD7A3; hangul &&
			strings.ContainsRune("은는이가을를에의로와과도만", runes[len(runes)-1]) {
			runes = runes[:len(runes)-1]
		}
		if len(runes) == 1 && !isKana(runes[0]) {
			b.pair(0, runes[0], 1)
		}
		for i := 1; i < len(runes); i++ {
			w := bigram
			if isKana(runes[i-1]) && isKana(runes[i]) {
				w = kanaBigram
			}
			b.pair(runes[i-1], runes[i], w)
		}
	}
}

func (b *builder) pair(a, r rune, weight float64) {
	key := pairKey(a, r)
	if _, ok := b.words.pairs[key]; ok || len(b.terms) == maxTerms {
		return
	}
	b.words.pairs[key] = uint8(len(b.terms))
	text := string([]rune{a, r})
	if a == 0 {
		text = string(r)
	}
	b.terms = append(b.terms, term{text: text, weight: weight})
}

// relate lets the synonyms of a term stand for it, where they are not terms themselves.
func (b *builder) relate() {
	if b.lang != text.English() {
		return
	}
	own := b.words.stems
	for _, group := range relatives() {
		for n, stem := range own {
			if stem == "" || !slices.Contains(group, stem) {
				continue
			}
			for _, s := range group {
				c := b.words.forms[s]
				if holdsTerm(c, uint8(n)) || len(c) > 0 && c[0].worth == whole {
					continue
				}
				b.words.forms[s] = append(c, credit{uint8(n), related})
			}
		}
	}
}

func isKana(r rune) bool { return r >= 0x3041 && r <= 0x309F }
