package measure

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/rule/likeness"
)

// The sets of labelled memories; labelled.txt describes the form.
var (
	//go:embed testdata/labelled.txt
	labelled string
	//go:embed testdata/heldout.txt
	heldout string
)

// example is a memory of a family: those of one family with the same letter say the same.
type example struct {
	likeness.Memory
	family int
	letter byte
	lang   string
}

// parse reads a set.
func parse(text string) []example {
	var examples []example
	family, lang := 0, ""
	for row := range strings.Lines(text) {
		row = strings.TrimSpace(row)
		if row == "" || row[0] == ';' {
			continue
		}
		if code, ok := strings.CutPrefix(row, "# "); ok {
			family, lang = family+1, code
			continue
		}
		parts := strings.SplitN(row[2:], " | ", 3)
		examples = append(examples, example{
			Memory: likeness.Memory{Name: parts[0], Description: parts[1], Body: parts[2]},
			family: family, letter: row[0], lang: lang,
		})
	}
	return examples
}

// score counts pairs: of one family those to be reported and the look-alikes, and what was reported.
type score struct {
	same, innocent        int
	right, wrong, foreign int // foreign: of two families
	looseRight, loose     int // pairs that may say the same in other words, and do; all of them
}

func (s score) precision() float64 { return share(s.right, s.right+s.wrong+s.foreign) }
func (s score) recall() float64    { return share(s.right, s.same) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// measure scores a set as one folder of memories, by language ("" being all), and says what was wrong
// or lost.
func measure(examples []example) (map[string]score, []string) {
	readings := make([]*likeness.Reading, len(examples))
	for i, e := range examples {
		readings[i] = likeness.Read(e.Memory)
	}
	found := likeness.Pairs(readings)
	scores := make(map[string]score)
	var errors []string
	for j, b := range examples {
		for i, a := range examples[:j] {
			at := slices.IndexFunc(found, func(p likeness.Pair) bool { return p.A == i && p.B == j })
			loose := at >= 0 && found[at].Loose
			reported := at >= 0 && !loose
			related := a.family == b.family
			same := related && a.letter == b.letter
			var one score
			switch {
			case same:
				one.same = 1
			case related:
				one.innocent = 1
			}
			if loose {
				one.loose, one.looseRight = 1, one.same
			}
			switch {
			case reported && same:
				one.right = 1
			case reported && related:
				one.wrong = 1
			case reported:
				one.foreign = 1
			}
			if reported != same {
				value := 0.0
				if reported {
					value = found[at].Share
				}
				errors = append(errors, fmt.Sprintf("%s reported %v, should be %v (%.2f): %s, %s", b.lang, reported, same, value, a.Name, b.Name))
			}
			for _, key := range []string{b.lang, ""} {
				s := scores[key]
				s.same, s.innocent = s.same+one.same, s.innocent+one.innocent
				s.right, s.wrong, s.foreign = s.right+one.right, s.wrong+one.wrong, s.foreign+one.foreign
				s.looseRight, s.loose = s.looseRight+one.looseRight, s.loose+one.loose
				scores[key] = s
			}
		}
	}
	return scores, errors
}
