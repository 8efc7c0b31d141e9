// Package signal finds the short messages of a session that are likely to deserve a memory: corrections,
// standing preferences, requests to remember, confirmations and frustration of a person; decisions and
// errors overcome; tickets and pages. Its rules are phrases in English, Chinese, Korean, Japanese, German,
// French and Spanish (rules/README.md).
//
// Only messages of at most 300 characters are looked at, without fenced code, quotations and logs: on
// longer ones the rules are right one time in ten. On short ones of real people they were right three
// times in four, and they miss many. The package keeps no state. Positions are on rune boundaries.
package signal

import (
	"math/bits"
	"slices"
)

// A Kind is a class of utterances that deserve a memory.
type Kind string

// The kinds, in the order of their weight (see Counts.Score).
const (
	Corrections   Kind = "corrections"   // what was done or said is wrong, or is to be left
	Remember      Kind = "remember"      // asked to keep something in mind
	Preferences   Kind = "preferences"   // tastes and standing orders
	Decisions     Kind = "decisions"     // a choice was made
	Errors        Kind = "errors"        // an error was understood or overcome; not one that only occurs
	Frustration   Kind = "frustration"   // a person lost patience
	Confirmations Kind = "confirmations" // what was done is approved; a mere "yes" or "go on" is not
	References    Kind = "references"    // a URL (no local one) or a ticket
)

var kinds = [...]Kind{Corrections, Remember, Preferences, Decisions, Errors, Frustration, Confirmations, References}

// The places of some kinds among them.
var remember, frustration, references = slices.Index(kinds[:], Remember), slices.Index(kinds[:], Frustration), slices.Index(kinds[:], References)

// Kinds returns all kinds, the weightiest first.
func Kinds() []Kind { return kinds[:len(kinds):len(kinds)] }

// A Set is a set of kinds.
type Set uint16

func bit(i int) Set { return 1 << i }

// setOf is the set of some kinds; unknown ones are ignored.
func setOf(some ...Kind) (s Set) {
	for _, k := range some {
		if i := slices.Index(kinds[:], k); i >= 0 {
			s |= bit(i)
		}
	}
	return s
}

// Has reports whether a kind is in the set.
func (s Set) Has(k Kind) bool { return s&setOf(k) != 0 }

// Kinds returns the kinds of the set, in the order of Kinds.
func (s Set) Kinds() []Kind {
	some := make([]Kind, 0, bits.OnesCount16(uint16(s)))
	for i, k := range kinds {
		if s&bit(i) != 0 {
			some = append(some, k)
		}
	}
	return some
}

// user is the speaker whose words have signals.
const user = "user"

// Of returns the kinds of signal in what a speaker said: only the user's words have any.
func Of(speaker, text string) (set Set) {
	for _, f := range find(speaker, text) {
		set |= bit(f.kind)
	}
	return set
}

// Find returns where the first signal of a kind is in a text: text[from:to] is the phrase, and at least one rune. It
// finds one exactly when Of's set has the kind.
func Find(kind Kind, speaker, text string) (from, to int, ok bool) {
	for _, f := range find(speaker, text) {
		if kinds[f.kind] == kind {
			return f.from, f.to, true
		}
	}
	return 0, 0, false
}

// find returns the signals in a text, those of one kind in their order.
func find(speaker, text string) (all []found) {
	if speaker != user {
		return nil
	}
	for _, l := range typed(text) {
		line := text[l[0]:l[1]]
		if from, to, ok := reference(line); ok {
			all = append(all, found{references, l[0] + from, l[0] + to})
		}
		folded := fold(line)
		for _, f := range scan(unquoted(folded.text)) {
			from, to := folded.span(f.from, f.to)
			all = append(all, found{f.kind, l[0] + from, l[0] + to})
		}
	}
	return all
}
