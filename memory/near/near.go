// Package near finds which of some known words was likely meant by what a person typed: all of a word, part of it, or
// a word with a typo.
package near

import (
	"strings"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// Word returns the known word that differs least from word: by a beginning of it, or by at most a
// third of its letters. It returns "" where none is near.
func Word(word string, known []string) string {
	best, least := "", max(1, utf8.RuneCountInString(word)/3)+1
	for _, k := range known {
		if len(strings.Trim(word, "-")) >= 2 && strings.HasPrefix(k, word) {
			return k
		}
		if d := Distance(word, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// Ranked returns the indexes of the known words that contain the letters of word in order, in either case, the best
// match first. The empty word matches nothing.
func Ranked(word string, known []string) []int {
	matches := fuzzy.Find(word, known)
	indexes := make([]int, len(matches))
	for i, m := range matches {
		indexes[i] = m.Index
	}
	return indexes
}

// Distance counts the letters to add, drop, change or swap with their neighbour to make a into b, up
// to limit.
func Distance(a, b string, limit int) int {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) >= limit || len(to)-len(from) >= limit {
		return limit
	}
	var short [3][48]int
	var rows [3][]int // the row before last, the last, this one
	for i := range rows {
		if rows[i] = short[i][:]; len(to) >= len(short[i]) {
			rows[i] = make([]int, len(to)+1)
		}
	}
	for j := range len(to) + 1 {
		rows[2][j] = j
	}
	for i := 1; i <= len(from); i++ {
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
		rows[2][0] = i
		least := i
		for j := 1; j <= len(to); j++ {
			cost := 1
			if from[i-1] == to[j-1] {
				cost = 0
			}
			d := min(rows[1][j]+1, rows[2][j-1]+1, rows[1][j-1]+cost)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				d = min(d, rows[0][j-2]+1)
			}
			rows[2][j] = d
			least = min(least, d)
		}
		if least >= limit {
			return limit
		}
	}
	return min(rows[2][len(to)], limit)
}
