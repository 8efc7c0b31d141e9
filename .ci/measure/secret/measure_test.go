package measure

import (
	"slices"
	"strings"
	"testing"
)

// The floors of what the README says. They are below what is measured, so that a sample may be added
// before it is understood.
const (
	minPrecision = 0.97
	minRecall    = 0.97
	minOfKind    = 0.85

	minEarlierPrecision = 0.95
	minEarlierRecall    = 0.93

	minFreshRecall = 95 // percent
)

func TestFloors(t *testing.T) {
	r := measure()
	if r.secrets < 150 || r.traps < 250 {
		t.Errorf("the set has %d credentials and %d traps", r.secrets, r.traps)
	}
	if r.all.precision() < minPrecision || r.all.recall() < minRecall {
		t.Errorf("precision %.3f, recall %.3f\n%s", r.all.precision(), r.all.recall(), strings.Join(r.misjudgings, "\n"))
	}
	for kind, c := range r.kinds {
		if c.precision() < minOfKind || c.recall() < minOfKind {
			t.Errorf("%s: precision %.3f, recall %.3f", kind, c.precision(), c.recall())
		}
	}
}

func TestEarlierFloors(t *testing.T) {
	if r := measureEarlier(); r.all.precision() < minEarlierPrecision || r.all.recall() < minEarlierRecall {
		t.Errorf("precision %.3f, recall %.3f", r.all.precision(), r.all.recall())
	}
}

func TestFreshFloors(t *testing.T) {
	for _, held := range []bool{false, true} {
		if r := measureFresh(held); r.secrets < 300 || r.innocent < 100 || r.found*100 < r.secrets*minFreshRecall || r.masked > 0 {
			t.Errorf("held out %v: %d of %d found, %d of %d innocent lines masked", held, r.found, r.secrets, r.masked, r.innocent)
		}
	}
}

// TestSamplesAreWhatTheySay keeps the set honest: no sample twice, each credential where it is said to be.
func TestSamplesAreWhatTheySay(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range slices.Concat(credentials(), traps(), heldOut(), heldOutTraps(), fresh(false), fresh(true), innocents(false), innocents(true)) {
		if seen[s.text] {
			t.Errorf("twice: %q", s.text)
		}
		seen[s.text] = true
		if s.kind != "" && (s.from < 0 || s.from >= s.to || s.to > len(s.text)) {
			t.Errorf("%s at %d to %d of %q", s.kind, s.from, s.to, s.text)
		}
	}
}
