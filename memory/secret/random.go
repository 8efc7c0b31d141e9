package secret

import (
	"math"

	"dream-mcp/memory/lazy"
)

// The floors of a random value. Entropy is Shannon's, in bits for each byte of the value itself. Scatter is how often
// the class of a character changes: small letter, capital, digit. Words in camelCase have a scatter of 0.17,
// hexadecimal digits 0.47, and base62 0.5. With higher floors an invented credential of the labelled set would be
// missed.
const (
	minEntropy = 2.8
	minScatter = 0.14
	// What "pass:" is followed by is more often the result of a test than a password. A name with a version, as in
	// "iPhone15ProMax", has at most 0.3.
	passScatter = 0.35
)

// random reports whether a value looks like one that a machine has made, and not like a placeholder.
func random(value string) bool {
	value = value[:min(len(value), maxJudged)]
	return entropy(value) >= minEntropy && (scatter(value) >= minScatter || signed(value) || base32.MatchString(value)) && !placeholder(value)
}

// base32 is a seed of one-time passwords: capitals with few digits.
var base32 = lazy.New(`^[A-Z2-7]{16,}$`)

// entropy returns the bits that each byte of a text carries, by how often it holds each byte.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			share := float64(n) / float64(len(text))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// scatter returns how often, for each byte, the class of letters changes: small, capital, digit. A
// capital that begins a word, as in camelCase, changes it once, and what separates words does not.
func scatter(text string) float64 { return float64(classChanges(text)) / float64(max(len(text), 1)) }

func classChanges(text string) int {
	changes, before, last := 0, 0, 0
	for i := range len(text) {
		class := classOf(text[i])
		capital := class == small && last == large && before != large // "Word" after "camel" or " "
		if class != 0 && last != 0 && class != last && !capital {
			changes++
		}
		before, last = last, class
	}
	return changes
}

// Classes of ASCII letters and digits.
const (
	small = iota + 1
	large
	digit
)

func classOf(c byte) int {
	switch {
	case 'a' <= c && c <= 'z':
		return small
	case 'A' <= c && c <= 'Z':
		return large
	case '0' <= c && c <= '9':
		return digit
	}
	return 0
}

// classes returns how many of small letters, capitals and digits a text has.
func classes(text string) int {
	var has [digit + 1]int
	for i := range len(text) {
		has[classOf(text[i])] = 1
	}
	return has[small] + has[large] + has[digit]
}

// holds reports whether a text has a letter, and a digit.
func holds(text string) (letter, number bool) {
	for i := range len(text) {
		class := classOf(text[i])
		letter, number = letter || class == small || class == large, number || class == digit
	}
	return letter, number
}
