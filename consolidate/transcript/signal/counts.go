package signal

import (
	"fmt"
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
	if i := index(k); i >= 0 {
		return c[i]
	}
	return 0
}

// weights rank what a dream should read first: what a person said of how to work before what can be
// found in the code or the tracker.
var weights = [...]float64{5, 5, 4, 3, 2, 2, 1, 0.5}

var _ = [1]struct{}{}[len(weights)-len(kinds)]

// Score ranks sessions: the higher, the more there is to learn. No signals are 0. A kind counts less
// the more there is of it, so that forty links do not outrank one correction: n of a kind weigh as n
// up to 4, and half of each beyond, at most 12 in all.
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

// singular are the names of the kinds after a one; "remember" and "frustration" are no plurals.
var singular = [...]string{"correction", "remember", "preference", "decision", "error overcome", "frustration", "confirmation", "reference"}

// String tells the counts, the weightiest first, as "3 corrections, 1 preference"; it is empty without any.
func (c Counts) String() string {
	var told []string
	for i, n := range c {
		switch {
		case n == 1:
			told = append(told, "1 "+singular[i])
		case n > 1 && kinds[i] == Errors:
			told = append(told, fmt.Sprintf("%d errors overcome", n))
		case n > 1:
			told = append(told, fmt.Sprintf("%d %s", n, kinds[i]))
		}
	}
	return strings.Join(told, ", ")
}
