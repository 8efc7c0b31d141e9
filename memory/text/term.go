package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is what a token is.
type Kind uint8

const (
	Plain    Kind = iota // a word or an identifier: Terms says what it stands for
	Compound             // words that a sign joins, such as a path, a version or a date
	Pair                 // two neighbouring characters of a dense script
)

// maxToken is the length in bytes of the longest token that is compared. Longer ones are not words.
const maxToken = 64

// joints are the signs that join words to one token: a/b.go, near-duplicate, 10:30, @scope/name.
const joints = "./-:@_"

// EachToken calls do with each token of a text. Words that a sign joins are a token each, and together one more.
func EachToken(text string, do func(token string, kind Kind)) {
	from, to, joined := 0, -1, false // the words that signs join so far
	whole := func() {
		if joined && to-from <= maxToken {
			do(text[from:to], Compound)
		}
		joined = false
	}
	EachWord(text, func(start, end int, dense bool) {
		if to >= 0 && start == to+1 && strings.IndexByte(joints, text[to]) >= 0 {
			joined = true
		} else {
			whole()
			from = start
		}
		to = end
		switch {
		case dense:
			eachPair(text[start:end], do)
		case end-start <= maxToken:
			do(text[start:end], Plain)
		}
	})
	whole()
}

// eachPair calls do with each two neighbouring characters of a run, or with the only one.
func eachPair(run string, do func(token string, kind Kind)) {
	_, to := utf8.DecodeRuneInString(run)
	if to == len(run) {
		do(run, Pair)
	}
	for from := 0; to < len(run); {
		_, first := utf8.DecodeRuneInString(run[from:])
		_, next := utf8.DecodeRuneInString(run[to:])
		to += next
		do(run[from:to], Pair)
		from += first
	}
}

// TermsOf returns the English terms of a text, each once, sorted.
func TermsOf(s string) (terms []string) {
	EachToken(s, func(token string, kind Kind) { terms = append(terms, English().Terms(token, kind)...) })
	slices.Sort(terms)
	return slices.Compact(terms)
}

// Terms returns what a token of EachToken stands for: its stem, and the stems of its parts. A small word and a single
// letter stand for nothing. A name is the same term as near-duplicate, near_duplicate and nearDuplicate.
func (l *Language) Terms(token string, kind Kind) (terms []string) {
	switch {
	case kind == Pair:
		return []string{token}
	case kind == Compound && strings.ContainsAny(token, "./:@"):
		return []string{strings.TrimSuffix(fold(token), ".md")}
	case kind == Compound:
		return []string{l.Stem(nameSigns.Replace(token))}
	}
	add := func(word string) {
		if lower := strings.ToLower(word); (len(word) > 1 || word[0] >= '0' && word[0] <= '9') && !l.stops[lower] && !English().stops[lower] {
			terms = append(terms, l.Stem(word))
		}
	}
	add(nameSigns.Replace(token))
	for _, part := range Parts(token) {
		add(part)
	}
	return terms
}

var nameSigns = strings.NewReplacer("-", "", "_", "")
