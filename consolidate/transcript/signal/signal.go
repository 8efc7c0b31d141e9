// Package signal finds the short messages of a session that are likely to deserve a memory: corrections,
// standing preferences, requests to remember, confirmations and frustration of a person; decisions and
// errors overcome; tickets and pages. Its rules are phrases in English, Chinese, Korean, Japanese, German,
// French and Spanish (rules/README.md).
//
// Only messages of at most 300 characters are looked at, without fenced code, quotations and logs: on
// longer ones the rules are right one time in ten. On short ones of real people they were right three
// times in four, and they miss many. The package keeps no state. Positions are on rune boundaries.
package signal

import "math/bits"

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

// Kinds returns all kinds, the weightiest first.
func Kinds() []Kind { return kinds[:len(kinds):len(kinds)] }

// A Set is a set of kinds.
type Set uint16

func bit(i int) Set { return 1 << i }

// all has every kind.
const all Set = 1<<len(kinds) - 1

// index returns the number of a kind, or -1.
func index(k Kind) int {
	for i, known := range kinds {
		if k == known {
			return i
		}
	}
	return -1
}

// setOf is the set of some kinds; unknown ones are ignored.
func setOf(some ...Kind) (s Set) {
	for _, k := range some {
		if i := index(k); i >= 0 {
			s |= bit(i)
		}
	}
	return s
}

var (
	references    = setOf(References)
	frustration   = setOf(Frustration)
	confirmations = setOf(Confirmations)
	stated        = setOf(Corrections, Preferences, Decisions, Errors, Confirmations) // not in a question
)

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

// kindsOf are the kinds in a speaker's words.
func kindsOf(speaker string) Set {
	if speaker == user {
		return all
	}
	return 0
}

// Of returns the kinds of signal in what a speaker said: none but the user's words have any.
func Of(speaker, text string) (found Set) {
	wanted := kindsOf(speaker)
	if wanted == 0 {
		return 0
	}
	listen(text, wanted, func(s signal) bool {
		found |= s.kinds
		return found != wanted
	})
	return found
}

// Find returns where the first signal of a kind is in a text: text[from:to] is the phrase, and at least
// one rune. It finds one exactly when Of's set has the kind.
func Find(kind Kind, speaker, text string) (from, to int, ok bool) {
	wanted := kindsOf(speaker) & setOf(kind)
	if wanted == 0 {
		return 0, 0, false
	}
	listen(text, wanted, func(s signal) bool {
		from, to, ok = s.from, s.to, true
		return false
	})
	return from, to, ok
}

// A signal is a phrase and its kind.
type signal struct {
	kinds    Set
	from, to int
}

// listen reports each wanted signal in what was typed of a text until report returns false.
func listen(text string, wanted Set, report func(signal) bool) {
	for _, l := range typed(text) {
		line := text[l[0]:l[1]]
		within := func(s signal) bool { return report(signal{s.kinds, l[0] + s.from, l[0] + s.to}) }
		if wanted&references != 0 {
			if from, to, ok := reference(line); ok && !within(signal{references, from, to}) {
				return
			}
		}
		s := scanner{folded: fold(line), wanted: wanted, report: within}
		if !s.line() {
			return
		}
	}
}
