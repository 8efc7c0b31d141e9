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

// singular are the names of the kinds after a one; "remember" and "frustration" are not plurals.
var singular = [...]string{"correction", "remember", "preference", "decision", "error overcome", "frustration", "confirmation", "reference"}

// String returns the counts, in the order of Kinds, as "3 corrections, 1 preference"; it is empty without any.
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
