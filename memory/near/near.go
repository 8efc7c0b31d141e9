// Package near finds the word that was likely meant by one that is mistyped.
package near

import "strings"

// Word returns the known word that differs least from word: by a beginning of it, or by at most a
// third of its letters. It returns "" where none is near.
func Word(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
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

// distance counts the letters to add, drop, change or swap with their neighbour to make a into b, up
// to limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][]int // the row before last, the last, this one
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[2] {
		rows[2][j] = j
	}
	for i := 1; i <= len(a); i++ {
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
		rows[2][0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[1][j]+1, rows[2][j-1]+1, rows[1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[0][j-2]+1)
			}
			rows[2][j] = d
		}
	}
	return min(rows[2][len(b)], limit)
}
