package main

import (
	"math"
	"sort"
	"strings"
	"unicode"
)

// plainBM25 orders the turns by BM25 with the usual numbers (k1 1.2, b 0.75) over lower-case words, as the
// baseline: no stemming, no stop words, no context. A character of a script without spaces is a word, as in the
// common tokenizers.
func plainBM25(turns []turn, query string) []int {
	const k1, b = 1.2, 0.75
	counts := make([]map[string]int, len(turns))
	lengths := make([]int, len(turns))
	df := map[string]int{}
	total := 0
	for i, t := range turns {
		counts[i] = map[string]int{}
		for _, w := range plainWords(t.text) {
			counts[i][w]++
			lengths[i]++
		}
		for w := range counts[i] {
			df[w]++
		}
		total += lengths[i]
	}
	mean := float64(total) / float64(max(1, len(turns)))
	scores := make([]float64, len(turns))
	var order []int
	for i := range turns {
		for _, w := range plainWords(query) {
			if tf := float64(counts[i][w]); tf > 0 {
				idf := math.Log(1 + (float64(len(turns)-df[w])+0.5)/(float64(df[w])+0.5))
				scores[i] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(lengths[i])/mean))
			}
		}
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(x, y int) bool { return scores[order[x]] > scores[order[y]] })
	return order
}

func plainWords(text string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start := 0
		for i, r := range w {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				if i > start {
					words = append(words, w[start:i])
				}
				start = i + len(string(r))
				words = append(words, w[i:start])
			}
		}
		if start < len(w) {
			words = append(words, w[start:])
		}
	}
	return words
}
