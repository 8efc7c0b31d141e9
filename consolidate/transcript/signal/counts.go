package signal

import (
	"fmt"
	"slices"
	"strings"
)

// Counts are the signals of a session, by the order of Kinds: utterances, not turns of phrase.
type Counts [len(kinds)]int

// Add counts an utterance.
func (c *Counts) Add(s Set) {
	for i := range kinds {
		if s&bit(i) != 0 {
			c[i]++
		}
	}
}

// Of returns how many utterances have a kind.
func (c Counts) Of(k Kind) int {
	if i := slices.Index(kinds[:], k); i >= 0 {
		return c[i]
	}
	return 0
}

// weights order sessions for a dream: what a person said about how to work comes before what the code or
// the tracker holds.
var weights = [...]float64{5, 5, 4, 3, 2, 2, 1, 0.5}

var _ = [1]struct{}{}[len(weights)-len(kinds)]

// Score orders sessions: the higher, the more there is to learn. Without signals it is 0. Of one kind the
// first 4 count fully and the others by half, up to 12 in all, so that forty links do not outrank one
// correction.
func (c Counts) Score() (score float64) {
	for i, n := range c {
		count := float64(max(n, 0))
		if count > 4 {
			count = min(4+(count-4)/2, 12)
		}
		score += weights[i] * count
	}
	return score
}

// singular are the names of the kinds after a one; "remember" and "frustration" are not plurals.
var singular = [...]string{"correction", "remember", "preference", "decision", "error overcome", "frustration", "confirmation", "reference"}

// String returns the counts, the weightiest first, as "3 corrections, 1 preference"; it is empty without any.
func (c Counts) String() string {
	var parts []string
	for i, n := range c {
		switch {
		case n == 1:
			parts = append(parts, "1 "+singular[i])
		case n > 1 && kinds[i] == Errors:
			parts = append(parts, fmt.Sprintf("%d errors overcome", n))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, kinds[i]))
		}
	}
	return strings.Join(parts, ", ")
}
