package transcript

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/near"
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
	length := utf8.RuneCountInString(sought)
	if length < minNearest {
		return ""
	}
	tooFar := maxEdits(length) + 1
	best, least, counts := "", tooFar, map[string]int{}
	take := func(word string) {
		counts[word]++
		switch e := near.Distance(word, sought, tooFar); {
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
				if n := utf8.RuneCountInString(word); n < length-2 || n > length+2 {
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
func longestWord(texts []string) (longest string) {
	most := 0
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) }) {
			lower := strings.ToLower(word)
			if n := utf8.RuneCountInString(lower); n > most && n <= maxNearest {
				longest, most = lower, n
			}
		}
	}
	return longest
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
