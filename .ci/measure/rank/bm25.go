package main

import (
	"math"
	"sort"
	"strings"
	"unicode"
)

// plain is BM25 with the usual numbers over lower-case words, as the baseline: no stemming, no stop
// words, no context. A character of a script without spaces is a word, as in the common tokenizers.
type plain struct {
	counts  []map[string]int
	lengths []float64
	df      map[string]int
	mean    float64
}

func newPlain(turns []turn) *plain {
	p := &plain{df: map[string]int{}}
	total := 0.0
	for _, t := range turns {
		counts := map[string]int{}
		words := plainWords(t.text)
		for _, w := range words {
			counts[w]++
		}
		for w := range counts {
			p.df[w]++
		}
		p.counts = append(p.counts, counts)
		p.lengths = append(p.lengths, float64(len(words)))
		total += float64(len(words))
	}
	p.mean = total / float64(max(1, len(turns)))
	return p
}

// rank returns the turns that hold a word of the query, by index, the best first.
func (p *plain) rank(query string) []int {
	const k1, b = 1.2, 0.75
	words := plainWords(query)
	scores := make([]float64, len(p.counts))
	var order []int
	for i, counts := range p.counts {
		for _, w := range words {
			if tf := float64(counts[w]); tf > 0 {
				df := float64(p.df[w])
				idf := math.Log(1 + (float64(len(p.counts))-df+0.5)/(df+0.5))
				scores[i] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*p.lengths[i]/p.mean))
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
