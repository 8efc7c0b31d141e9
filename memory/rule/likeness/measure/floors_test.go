package measure

import "testing"

// TestFloors holds what the sets were measured at, less what a change of a few pairs costs. Only the
// pairs held out speak of how it does elsewhere.
func TestFloors(t *testing.T) {
	for _, set := range []struct {
		name              string
		examples          []example
		same, innocent    int
		precision, recall float64
	}{
		{"labelled", parse(labelled), 90, 200, 0.98, 0.40},
		{"held out", parse(heldout), 30, 70, 0.95, 0.60},
		{"long", parseLong("labelled"), 2, 13, 1, 1},
		{"long, held out", parseLong("heldout"), 2, 10, 1, 1},
	} {
		scores, errors := measure(set.examples)
		all := scores[""]
		if all.same < set.same || all.innocent < set.innocent {
			t.Errorf("%s: %d pairs that are the same, %d innocent", set.name, all.same, all.innocent)
		}
		if all.precision() < set.precision || all.recall() < set.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, below %.2f, %.2f: %q", set.name, all.precision(), all.recall(), set.precision, set.recall, errors)
		}
		if all.foreign > 0 {
			t.Errorf("%s: %d pairs of two families are reported", set.name, all.foreign)
		}
	}
}

func TestParse(t *testing.T) {
	examples := parse("; note\n# ko\nA a.md | one | two | three\n\n# en\nB b.md | x | y\n")
	if len(examples) != 2 || examples[0].Body != "two | three" || examples[0].letter != 'A' || examples[0].lang != "ko" {
		t.Fatalf("%+v", examples)
	}
	if examples[1].family == examples[0].family || examples[1].Name != "b.md" {
		t.Fatalf("%+v", examples)
	}
}
