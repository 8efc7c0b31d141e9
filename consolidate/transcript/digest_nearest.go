package transcript

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The bounds of looking for the nearest word, in runes and in time.
const (
	nearestBudget = 20 * time.Millisecond
	minNearest    = 4 // shorter words are near to too many
	maxNearest    = 40
)

// maxEdits is how many letters may differ, of a word of so many runes.
func maxEdits(runes int) int {
	if runes < 6 {
		return 1
	}
	return 2
}

// nearest returns the word that people and the model said most often among those that differ least from the longest word
// of the query; "" where there is none, or that word was said. It looks at the newest sessions, as long as there is time.
func (s *Store) nearest(ctx context.Context, q Query, sessions []judged) string {
	begun := time.Now()
	sought := longestWord(append([]string{q.Pattern}, q.Patterns...))
	if len(sought) < minNearest {
		return ""
	}
	best, least, counts := "", maxEdits(len(sought))+1, map[string]int{}
	take := func(word string) {
		counts[word]++
		switch e := edits([]rune(word), sought, maxEdits(len(sought))); {
		case e < least, e == least && best != "" && cmp.Or(counts[best]-counts[word], strings.Compare(word, best)) < 0:
			best, least = word, e
		}
	}
	for _, session := range sessions {
		d := s.digests().peek(s.making(), session.file)
		if d == nil {
			continue
		}
		for i := range d.rows {
			if ctx.Err() != nil || time.Since(begun) > s.nearestBudget {
				return best
			}
			for word := range strings.FieldsFuncSeq(d.said(i), func(r rune) bool { return !inWord(r) }) {
				if n := utf8.RuneCountInString(word); n < len(sought)-2 || n > len(sought)+2 {
					continue
				}
				take(strings.ToLower(word))
			}
			if least == 0 {
				return ""
			}
		}
	}
	return best
}

// longestWord returns the longest word of some texts, in lower case.
func longestWord(texts []string) (longest []rune) {
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) }) {
			if runes := []rune(strings.ToLower(word)); len(runes) > len(longest) && len(runes) <= maxNearest {
				longest = runes
			}
		}
	}
	return longest
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// edits is how many letters must be put in, left out or exchanged to make one word of another, or more
// than most.
func edits(a, b []rune, most int) int {
	if len(a) > maxNearest+2 || len(b) > maxNearest+2 {
		return most + 1
	}
	var rows [2][maxNearest + 3]int
	last, next := &rows[0], &rows[1]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i, x := range a {
		next[0] = i + 1
		least := next[0]
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			next[j+1] = min(last[j]+cost, last[j+1]+1, next[j]+1)
			least = min(least, next[j+1])
		}
		if least > most {
			return most + 1
		}
		last, next = next, last
	}
	return last[len(b)]
}
