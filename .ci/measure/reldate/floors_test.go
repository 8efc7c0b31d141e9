package measure

import "testing"

// TestFloors holds what the two sets were measured at, less what a change of a few sentences costs. The
// rules were made on the first, so of how they do elsewhere only the others speak.
func TestFloors(t *testing.T) {
	for _, set := range []struct {
		name              string
		text              string
		sentences, each   int
		precision, recall float64
	}{
		{"labelled", labelled, 320, 35, 0.94, 0.97},
		{"held out", heldout, 100, 15, 0.95, 0.97},
	} {
		scores, errors := measure(parse(set.text))
		all := scores[""]
		if all.sentences < set.sentences || 5*all.traps < 2*all.sentences {
			t.Errorf("%s: %d sentences, %d of them innocent", set.name, all.sentences, all.traps)
		}
		if all.precision() < set.precision || all.recall() < set.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, below %.2f, %.2f: %q", set.name, all.precision(), all.recall(), set.precision, set.recall, errors)
		}
		for _, lang := range languages {
			s := scores[lang]
			if s.sentences < set.each || s.precision() < 0.85 || s.recall() < 0.85 {
				t.Errorf("%s, %s: %d sentences, precision %.3f, recall %.3f", set.name, lang, s.sentences, s.precision(), s.recall())
			}
		}
	}
}

func TestMemories(t *testing.T) {
	for part, floor := range map[string]float64{"labelled": 0.9, "heldout": 0.8} {
		if s, errors := measureMemories(part); s.precision() < floor || s.recall() < floor {
			t.Errorf("%s: precision %.3f, recall %.3f: %q", part, s.precision(), s.recall(), errors)
		}
	}
}

func TestParse(t *testing.T) {
	examples := parse("; note\n# ko\n가 {어제|11-17} {x|w11-09}\\n{y|session>11-18}\n# not a language\n")
	if len(examples) != 2 || examples[0].lang != "ko" || examples[0].text != "가 어제 x\ny" || examples[1].text != "# not a language" {
		t.Fatalf("%+v", examples)
	}
	want := []span{{4, 10, "2026-11-17"}, {11, 12, "the week of 2026-11-09"}, {13, 14, "the session after 2026-11-18"}}
	for i, w := range want {
		if examples[0].want[i] != w {
			t.Errorf("span %d is %+v, want %+v", i, examples[0].want[i], w)
		}
	}
}
