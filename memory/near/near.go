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
		if d := distance(word, k, least); d < least {
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

// distance counts the letters to add, drop, change or swap with their neighbour to make a into b, up
// to limit.
func distance(a, b string, limit int) int {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) >= limit || len(to)-len(from) >= limit {
		return limit
	}
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range to {
			change := 1
			if from[i] == to[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return min(row[len(to)], limit)
}
