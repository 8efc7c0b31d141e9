package text

import "math"

// The numbers of BM25, for turns of conversations. For passages of memories each can be halved or doubled without a
// difference that is more than chance.
const (
	k1         = 1.0
	shortening = 0.4 // b
)

// Rarity returns the weight of a term that some documents of all hold: 1 if one of many holds it, 0 if all do.
func Rarity(holders, all int) float64 {
	n, df := float64(all), float64(holders)
	return math.Log(1+(n-df+0.5)/(df+0.5)) / math.Log(1+(n-0.5)/1.5)
}

// Saturated returns what a term counts that a document holds so often, from 0 to k1+1.
func Saturated(count, length, mean float64) float64 {
	return count * (k1 + 1) / (count + k1*(1-shortening+shortening*length/mean))
}
