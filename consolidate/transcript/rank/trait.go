package rank

import (
	"strconv"
	"strings"
	"sync"
	"time"
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
		if isOneOf(asksTime, w) {
			q.wants |= tellsWhen
		}
		if isOneOf(asksCount, w) {
			q.wants |= tellsNumber
		}
	}
}

func isOneOf(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// traitsOf says what a text is, as far as the query asks for it.
func (r *Ranking) traitsOf(text string) traits {
	var t traits
	if mostlyAsks(text) {
		t |= question
	}
	if r.query.wants == 0 {
		return t
	}
	var hints found
	if strings.ContainsAny(text, "0123456789") {
		t |= tellsNumber | tellsWhen
	} else if r.hints.scan(text, &hints) {
		if hints.terms&1 != 0 {
			t |= tellsWhen
		}
		if hints.terms&2 != 0 {
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

// maxSpans is how many dates of a query are read: each is compared with each turn.
const maxSpans = 4

// A span is a date in a query: a year, a month, or a day. 0 is any.
type span struct {
	year, day int
	month     time.Month
}

// spansOf finds the dates: "2026-02-17", "17 February", "May 2026", "2026".
func spansOf(tokens []token) []span {
	var spans []span
	number := func(i, low, high int) int {
		if i < 0 || i >= len(tokens) {
			return 0
		}
		n, err := strconv.Atoi(strings.TrimRight(tokens[i].text, "stndrh"))
		if err != nil || n < low || n > high {
			return 0
		}
		return n
	}
	for i, t := range tokens {
		if len(spans) == maxSpans {
			break
		}
		if m := monthOf(t.text); m != 0 && !t.opens {
			s := span{month: m, day: number(i-1, 1, 31)}
			next := i + 1
			if s.day == 0 {
				if s.day = number(next, 1, 31); s.day != 0 {
					next++
				}
			}
			s.year = number(next, 1970, 2100)
			spans = append(spans, s)
			continue
		}
		year := number(i, 1970, 2100)
		if year == 0 || i > 0 && monthOf(tokens[i-1].text) != 0 || i > 1 && monthOf(tokens[i-2].text) != 0 {
			continue
		}
		s := span{year: year, month: time.Month(number(i+1, 1, 12))}
		if s.month != 0 {
			s.day = number(i+2, 1, 31)
		}
		spans = append(spans, s)
	}
	return spans
}

// monthOf knows the months in the languages of the list.
func monthOf(word string) time.Month {
	word = strings.ToLower(word)
	i := 0
	for m := range strings.FieldsSeq(months) {
		if m == word {
			return time.Month(i%12 + 1)
		}
		i++
	}
	return 0
}

// lag is how long after a day people still speak of it as just past.
const lag = 10 * 24 * time.Hour

// covers reports whether what was said at t, in Unix seconds, is likely to be about the span.
func (s span) covers(t int64) bool {
	if t == 0 {
		return false
	}
	at := time.Unix(t, 0).UTC()
	year := s.year
	if year == 0 {
		year = at.Year()
	}
	from, to := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC)
	if s.month != 0 {
		from = time.Date(year, s.month, 1, 0, 0, 0, 0, time.UTC)
		to = from.AddDate(0, 1, 0)
	}
	if s.month != 0 && s.day != 0 {
		from = from.AddDate(0, 0, s.day-1)
		to = from.AddDate(0, 0, 1)
	}
	return !at.Before(from.Add(-24*time.Hour)) && at.Before(to.Add(lag))
}
