// Package signal tells which utterances deserve a memory: where a person corrected, ordered for good,
// confirmed, asked to remember, was annoyed; where something was decided or an error overcome; where
// a ticket or a page was named. It knows English, Chinese, Korean, Japanese, German, French and Spanish.
//
// It promises positions that lie in the text, on rune boundaries; a time that grows with the text to
// the bound below and no further; and that code, quotations, logs and long pastes are passed over.
//
// It keeps nothing, so there is nothing to lose in a crash.
//
// It does not promise to understand: it looks for turns of phrase at the beginnings of clauses, and
// command measure says how often that is right on invented sentences: of unforeseen ones half are missed.
// Decomposed characters (NFD) and other languages are not known to it.
package signal

import "math/bits"

// A Kind is a class of utterances that deserve a memory.
type Kind string

// The kinds, in the order in which they weigh (see Counts.Score) and are told. All but Decisions,
// Errors and References are heard only from a person.
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

// setOf is the set of some kinds; those that are none are left out.
func setOf(some ...Kind) (s Set) {
	for _, k := range some {
		if i := index(k); i >= 0 {
			s |= bit(i)
		}
	}
	return s
}

// What is often asked for.
var (
	references    = setOf(References)
	frustration   = setOf(Frustration)
	confirmations = setOf(Confirmations)
	stated        = setOf(Preferences, Decisions, Errors, Confirmations) // in no question
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

// The speakers that are listened to; what any other says has no signal.
const (
	user      = "user"
	assistant = "assistant"
)

// heardModel are the kinds that the model may give.
var heardModel = setOf(Decisions, Errors, References)

// heard are the kinds that a speaker may give.
func heard(speaker string) Set {
	switch speaker {
	case user:
		return all
	case assistant:
		return heardModel
	}
	return 0
}

// Of returns the kinds of signal in what a speaker ("user" or "assistant") said. At most 2,500 runes
// of the text are looked at: what is longer was pasted for the most part (CENSUS 2), and what a person
// wrote about it stands first or last.
func Of(speaker, text string) (found Set) {
	wanted := heard(speaker)
	if wanted == 0 {
		return 0
	}
	listen(text, wanted, func(s signal) bool {
		found |= s.kinds
		return found != wanted
	})
	return found
}

// Find returns where the first signal of a kind stands in a text: text[from:to] is the turn of phrase,
// and at least one rune. It finds one exactly when Of's set has the kind.
func Find(kind Kind, speaker, text string) (from, to int, ok bool) {
	wanted := heard(speaker) & setOf(kind)
	if wanted == 0 {
		return 0, 0, false
	}
	listen(text, wanted, func(s signal) bool {
		from, to, ok = s.from, s.to, true
		return false
	})
	return from, to, ok
}

// A signal is a turn of phrase and the kinds that it stands for.
type signal struct {
	kinds    Set
	from, to int
}

// listen reports each wanted signal in what was typed of a text until report returns false.
func listen(text string, wanted Set, report func(signal) bool) {
	table := phrases()
	typed(text, func(from, to int) bool {
		l := listener{table: table, text: text[:to], wanted: wanted, sought: wanted | unspoken, report: report}
		return l.line(from)
	})
}
