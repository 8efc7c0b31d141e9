package rank

import (
	"strconv"
	"strings"
	"time"
)

// maxSpans is how many dates of a query are read: each is compared with each turn.
const maxSpans = 4

// A span is a date or a part of a month in a text: a year, a month, and the first and last day. 0 is any.
type span struct {
	year     int
	month    time.Month
	from, to int
}

// spansOf finds the dates: "2026-02-17", "17.2.2026", "17 February", "May 2026", "the last two weeks of August",
// "late August", "2026".
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
	for i := 0; i < len(tokens) && len(spans) < maxSpans; i++ {
		if m := monthOf(tokens[i].text); m != 0 && (!tokens[i].opens || number(i-1, 1, 31) != 0 || number(i+1, 1, 31) != 0) {
			s := span{month: m, from: number(i-1, 1, 31)}
			if s.from == 0 {
				if s.from = number(i+1, 1, 31); s.from != 0 {
					i++
				}
			}
			s.to = s.from
			if s.from == 0 {
				s.from, s.to = partOf(tokens[:i])
			}
			if s.year = number(i+1, 1970, 2100); s.year != 0 {
				i++
			}
			spans = append(spans, s)
			continue
		}
		year := number(i, 1970, 2100)
		if year == 0 {
			continue
		}
		first, second := number(i-2, 1, 31), number(i-1, 1, 31)
		switch {
		case first != 0 && second != 0 && second <= 12: // 17.2.2026
			spans = append(spans, span{year, time.Month(second), first, first})
		case first != 0 && second != 0 && first <= 12: // 2/17/2026
			spans = append(spans, span{year, time.Month(first), second, second})
		default:
			s := span{year: year, month: time.Month(number(i+1, 1, 12))}
			if s.month != 0 {
				s.from = number(i+2, 1, 31)
				s.to = s.from
				i++
			}
			spans = append(spans, s)
		}
	}
	return spans
}

// lastDay as a span's to is the end of its month, and minus n the nth day before that.
const lastDay = 0

// partOf reads which part of a month the words before its name mean: "the last two weeks of", "late",
// "Ende". Without such words it is the whole month: 0, 0.
func partOf(before []token) (from, to int) {
	word := func(back int) string {
		if len(before) < back {
			return ""
		}
		return strings.ToLower(before[len(before)-back].text)
	}
	at := 1
	if indexOf("of the de des del im do", word(at)) >= 0 {
		at++
	}
	switch w := word(at); {
	case indexOf("early beginning start anfang début principios inicio", w) >= 0:
		return 1, 10
	case indexOf("mid middle mitte mi mediados", w) >= 0:
		return 10, 20
	case indexOf("late end ende fin finales", w) >= 0:
		return -10, lastDay
	case indexOf("week weeks half", w) >= 0:
		days := 7
		if w == "half" {
			days = 15
		}
		if n := indexOf("one two three", word(at+1)); n >= 0 {
			days *= n + 1
			at++
		} else if n, err := strconv.Atoi(word(at + 1)); err == nil && n > 0 && n < 4 {
			days *= n
			at++
		}
		switch order := indexOf("first second third fourth", word(at+1)); {
		case order >= 0:
			return order*days + 1, (order + 1) * days
		case indexOf("last final", word(at+1)) >= 0:
			return 1 - days, lastDay
		}
	}
	return 0, 0
}

func indexOf(words, word string) int {
	i := 0
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return i
		}
		i++
	}
	return -1
}

// monthOf returns the month of that name in the languages of the list, or 0.
func monthOf(word string) time.Month {
	if i := indexOf(months, strings.ToLower(word)); i >= 0 {
		return time.Month(i%12 + 1)
	}
	return 0
}

// days returns the span's first moment and the one after its last, in a year if the span names none.
func (s span) days(year int) (from, to time.Time) {
	if s.year != 0 {
		year = s.year
	}
	day := func(month time.Month, day int) time.Time { return time.Date(year, month, day, 0, 0, 0, 0, time.UTC) }
	switch {
	case s.month == 0:
		return day(1, 1), day(13, 1)
	case s.from == 0 && s.to == 0:
		return day(s.month, 1), day(s.month+1, 1)
	case s.from < 0:
		return day(s.month+1, s.from), day(s.month+1, 1)
	}
	return day(s.month, s.from), day(s.month, s.to+1)
}

// lag is how long after a day people still speak of it as just past.
const lag = 10 * 24 * time.Hour

// covers reports whether what was said at t, in Unix seconds, is likely to be about the span.
func (s span) covers(t int64) bool {
	if t == 0 {
		return false
	}
	at := time.Unix(t, 0).UTC()
	from, to := s.days(at.Year())
	return !at.Before(from.Add(-24*time.Hour)) && at.Before(to.Add(lag))
}

// meets reports whether two spans have a day in common and are of one kind: a year does not meet its days.
func (s span) meets(o span) bool {
	if (s.month == 0) != (o.month == 0) || s.year != 0 && o.year != 0 && s.year != o.year {
		return false
	}
	year := max(s.year, o.year, 1972)
	from, to := s.days(year)
	otherFrom, otherTo := o.days(year)
	return from.Before(otherTo) && otherFrom.Before(to)
}

// maxDated is how many bytes of a text are searched for dates.
const maxDated = 4 << 10

// named reports whether a text names one of the query's dates.
func (q *Query) named(text string) bool {
	if !strings.ContainsAny(text, "0123456789") && q.spans[0].month == 0 {
		return false
	}
	for _, o := range spansOf(tokenize(text[:min(len(text), maxDated)])) {
		for _, s := range q.spans {
			if s.meets(o) {
				return true
			}
		}
	}
	return false
}
