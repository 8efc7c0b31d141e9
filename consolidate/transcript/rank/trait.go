package rank

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// hintWords finds the words that tell a time (term 0) and a number (term 1).
var hintWords = sync.OnceValue(func() *lexis {
	l := &lexis{lang: &language{}, forms: map[string][]credit{}}
	for term, words := range []string{tellsTime + " " + months, numbers} {
		for w := range strings.FieldsSeq(words) {
			stem := l.lang.stem(latin(), w)
			l.forms[stem] = []credit{{uint8(term), whole}}
			l.admit(latin(), stem)
		}
	}
	return l
})

func (q *Query) readWants(plain []string) {
	for _, w := range plain {
		if indexOf(asksTime, w) >= 0 {
			q.wants |= tellsWhen
		}
		if indexOf(asksCount, w) >= 0 {
			q.wants |= tellsNumber
		}
	}
}

// traitsOf says what a text is, as far as the query asks for it.
func (r *Ranking) traitsOf(text string) traits {
	var t traits
	if mostlyAsks(text) {
		t |= question
	}
	if endsWithQuestion(text) {
		t |= endsAsking
	}
	if isElliptic(text) {
		t |= elliptic
	}
	if len(r.query.spans) > 0 && r.query.named(text) {
		t |= namesDate
	}
	if r.query.wants == 0 {
		return t
	}
	var hints found
	if strings.ContainsAny(text, "0123456789") {
		t |= tellsNumber | tellsWhen
	} else if r.hints.scan(text, &hints) {
		if hints.terms.has(0) {
			t |= tellsWhen
		}
		if hints.terms.has(1) {
			t |= tellsNumber
		}
	}
	return t
}

// mostlyAsks reports whether more of a text asks than tells: such a turn is seldom the answer, but the
// next one is.
func mostlyAsks(text string) bool {
	if strings.IndexByte(text, '?') < 0 && !strings.Contains(text, "？") && !strings.Contains(text, "؟") {
		return false // as most do: a quarter of the time of a search, rune by rune
	}
	asked, from := 0, 0
	for i, r := range text {
		switch r {
		case '?', '？', '؟':
			asked += i + 1 - from
			from = i + 1
		case '.', '!', '\n', '。', '！':
			from = i + 1
		}
	}
	return 2*asked > len(text)
}

// endsWithQuestion reports whether the last sentence of a text asks.
func endsWithQuestion(text string) bool {
	text = strings.TrimRight(text, " \n\t)\"'*_`")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟")
}

// isElliptic reports whether a text is so short that it means little without the turn before it:
// "yes, the second one".
func isElliptic(text string) bool {
	if len(text) > 400 || utf8.RuneCountInString(text) > 6*maxElliptic {
		return false
	}
	words := 0
	for range strings.FieldsSeq(text) {
		words++
	}
	return words <= maxElliptic
}

// maxElliptic is the number of words of an elliptic text.
const maxElliptic = 8
