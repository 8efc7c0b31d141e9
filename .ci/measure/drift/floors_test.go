package measure

import (
	"os/exec"
	"testing"
)

// TestFloors holds what the two sets were measured at, less what a change of a few lines costs. The rules
// were made on the first, so of how they do elsewhere only the second speaks.
func TestFloors(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is missing")
	}
	for _, set := range []struct {
		name, text        string
		lines, drifted    int
		precision, recall float64
	}{
		{"labelled", labelled, 100, 19, 0.94, 0.94},
		{"held out", heldout, 65, 17, 0.93, 0.88},
	} {
		s, errors, err := measure(set.text, false)
		if err != nil {
			t.Fatal(err)
		}
		if s.lines < set.lines || s.right+s.lost < set.drifted {
			t.Errorf("%s: %d lines, %d of them drifted", set.name, s.lines, s.right+s.lost)
		}
		if s.precision() < set.precision || s.recall() < set.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, below %.2f, %.2f: %q", set.name, s.precision(), s.recall(), set.precision, set.recall, errors)
		}
	}
}

func TestUnmark(t *testing.T) {
	m := unmark("a.md", "a `b`\n! c `d`\n\n```sh\n! $ make x\nmake y\n```\n")
	if m.text != "a `b`\nc `d`\n\n```sh\n$ make x\nmake y\n```\n" || m.lines != 6 || !m.want[2] || !m.want[5] || m.want[1] {
		t.Errorf("%+v", m)
	}
}
