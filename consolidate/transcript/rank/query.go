package rank

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/text"
)

// ErrNoWords says that a query holds nothing to look for.
var ErrNoWords = errors.New("the query has no words")

// The bounds of a query.
const (
	maxQuery = 4 << 10 // bytes that are read
	maxTerms = 64      // terms that are looked for
)

// A Query is a question, taken apart. It is safe for concurrent use.
type Query struct {
	terms    []string // in the order of the question
	byStem   map[string]int
	language *text.Language
	dense    bool // it has terms of a dense script
	single   bool // one of them is a character alone
	small    bool // it has nothing but small words: then these are meant
}

// Parse takes a query apart: words become stems in the query's language, identifiers are split and kept whole, small
// words are dropped, scripts without spaces are cut into pairs. Only the first 4 KiB and 64 terms are read. It fails
// with ErrNoWords.
func Parse(question string) (*Query, error) {
	if len(question) > maxQuery {
		question = strings.ToValidUTF8(question[:maxQuery], "")
	}
	question = text.Composed(question)
	var lower []string
	for _, w := range text.Words(question) {
		lower = append(lower, strings.ToLower(w))
	}
	q := &Query{byStem: map[string]int{}, language: text.LanguageOf(lower)}
	q.add(question)
	if len(q.terms) == 0 {
		q.small = true
		q.add(question)
	}
	if len(q.terms) == 0 {
		return nil, ErrNoWords
	}
	return q, nil
}

// Terms returns what is looked for, in the query's order, as words or pairs of characters.
func (q *Query) Terms() []string { return q.terms }

// add adds the terms of a question.
func (q *Query) add(question string) {
	text.EachToken(question, func(token string, kind text.Kind) {
		if kind == text.Pair {
			if q.small || slices.Contains(text.DenseRuns(token), token) {
				q.term(token, token)
				q.dense = true
				q.single = q.single || utf8.RuneCountInString(token) == 1
			}
			return
		}
		words := append([]string{token}, text.Parts(token)...)
		for i, stem := range q.stems(token, kind) {
			q.term(words[min(i, len(words)-1)], stem)
		}
	})
}

func (q *Query) term(word, stem string) {
	if _, ok := q.byStem[stem]; !ok && stem != "" && len(q.terms) < maxTerms {
		q.byStem[stem] = len(q.terms)
		q.terms = append(q.terms, word)
	}
}

// stems returns the terms of a token.
func (q *Query) stems(token string, kind text.Kind) []string {
	if q.small && kind == text.Plain {
		return []string{q.language.Stem(token)}
	}
	if kind == text.Pair && q.single {
		return append(strings.Split(token, ""), token)
	}
	return q.language.Terms(token, kind)
}
