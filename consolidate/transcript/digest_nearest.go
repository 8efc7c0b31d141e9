package transcript

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// The bounds of looking for the nearest word: what it may take, which words are worth it, and how many
// are counted.
const (
	nearestBudget = 3 * time.Millisecond
	minNearest    = 4 // runes: shorter words are near to too many
	maxNearest    = 40
	maxNear       = 1000
	nearestPart   = 128 << 10 // bytes between two looks at the clock: they stay in the cache for all pieces
)

// maxEdits is how many letters may be put in, left out or exchanged, of a word of so many runes.
func maxEdits(runes int) int {
	if runes < 6 {
		return 1
	}
	return 2
}

// nearest returns the word that people and the model said most often among those that are nearest to
// the longest word of the query that nobody said; "" when there is none.
func (s *Store) nearest(ctx context.Context, q Query, sessions []judged) string {
	begun := time.Now()
	sought := longestWord(append([]string{q.Pattern}, q.Patterns...))
	if len(sought) < minNearest {
		return ""
	}
	var (
		mu    sync.Mutex
		near  = map[string]int{} // how often each was said
		known atomic.Bool
	)
	most := maxEdits(len(sought))
	pieces := piecesOf(sought, most+1)
	_ = parallel(ctx, len(sessions), func(i int) error {
		// A timer would be late by ten milliseconds where all threads are busy.
		if time.Since(begun) > s.nearestBudget {
			return context.DeadlineExceeded
		}
		d := s.digests().peek(s.making(), sessions[i].file)
		if d == nil || known.Load() {
			return nil
		}
		mine := map[string]int{}
		for rest := d.text; rest != "" && time.Since(begun) <= s.nearestBudget; {
			var text string
			text, rest = cutRows(rest, nearestPart)
			for n := range pieces {
				eachWord(text, pieces, n, func(word string) {
					if _, ok := mine[word]; !ok && (len(mine) >= maxNear || edits([]rune(strings.ToLower(word)), sought, most) > most) {
						return
					}
					mine[word]++
				})
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for word, n := range mine {
			word = strings.ToLower(word)
			if word == string(sought) {
				known.Store(true)
			}
			if _, ok := near[word]; ok || len(near) < maxNear {
				near[word] += n
			}
		}
		return nil
	})
	if known.Load() {
		return ""
	}
	best, least := "", maxEdits(len(sought))+1
	for word, n := range near {
		e := edits([]rune(word), sought, least)
		if e < least || e == least && (n > near[best] || n == near[best] && word < best) {
			best, least = word, e
		}
	}
	return best
}

// cutRows cuts the text of a digest behind the first row that ends beyond so many bytes.
func cutRows(text string, size int) (head, rest string) {
	if len(text) > size {
		if i := strings.Index(text[size:], gap); i >= 0 {
			size += i + len(gap)
			return text[:size], text[size:]
		}
	}
	return text, ""
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

// piecesOf cuts a word into n pieces. A word that differs from it in fewer than n places holds one of
// them as it is, so that others need not be looked at.
func piecesOf(word []rune, n int) (pieces []literal) {
	for i := range n {
		piece := string(word[i*len(word)/n : (i+1)*len(word)/n])
		pieces = append(pieces, newLiteral(piece, true))
	}
	return pieces
}

// eachWord calls f for each word of a text that holds one of the pieces, and none of those before.
func eachWord(text string, pieces []literal, piece int, f func(word string)) {
	pieces[piece].each(text, func(start, end int) int {
		for start > 0 {
			r, size := utf8.DecodeLastRuneInString(text[:start])
			if !inWord(r) || end-start > maxNearest*utf8.UTFMax {
				break
			}
			start -= size
		}
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !inWord(r) {
				break
			}
			end += size
		}
		word := text[start:end]
		before := slices.ContainsFunc(pieces[:piece], func(l literal) bool {
			_, _, ok := l.index(word)
			return ok
		})
		if !before && len(word) <= (maxNearest+2)*utf8.UTFMax {
			f(word)
		}
		return end
	})
}

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
