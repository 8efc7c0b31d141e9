package measure

import "testing"

// TestFloors holds what the two sets were measured at, less what a change of a few spans costs. The rules
// were made on the first, so of how they do elsewhere only the second speaks.
func TestFloors(t *testing.T) {
	for _, set := range []struct {
		name, text        string
		spans, drifted    int
		precision, recall float64
	}{
		{"labelled", labelled, 350, 75, 0.98, 0.95},
		{"held out", heldout, 170, 45, 0.95, 0.90},
	} {
		s, errors, err := measure(set.text)
		if err != nil {
			t.Fatal(err)
		}
		if s.spans < set.spans || s.right+s.lost < set.drifted {
			t.Errorf("%s: %d spans, %d of them drifted", set.name, s.spans, s.right+s.lost)
		}
		if s.precision() < set.precision || s.recall() < set.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, below %.2f, %.2f: %q", set.name, s.precision(), s.recall(), set.precision, set.recall, errors)
		}
	}
}

func TestUnmark(t *testing.T) {
	m := unmark("a.md", "a !`b` c `d`!\n```sh\n! $ make x\nmake y\n```\n")
	if m.text != "a `b` c `d`!\n```sh\n$ make x\nmake y\n```\n" || m.spans != 4 || len(m.want) != 2 || !m.want[3] || !m.want[21] {
		t.Errorf("%+v", m)
	}
}
