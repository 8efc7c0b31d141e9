package measure

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory/rule/reldate"
)

// The sets of labelled sentences; labelled.txt describes the form.
var (
	//go:embed testdata/labelled.txt
	labelled string
	//go:embed testdata/heldout.txt
	heldout string
)

// anchor is the day on which every sentence was written: a Wednesday.
var anchor = time.Date(2026, 11, 18, 15, 4, 5, 0, time.UTC)

// languages are those of the sets, in their order.
var languages = []string{"en", "zh", "ko", "ja", "de", "fr", "es"}

// example is one sentence and what is to be found in it.
type example struct {
	lang, text string
	want       []span
}

type span struct {
	from, to int
	means    string
}

var (
	markup = regexp.MustCompile(`\{([^{}|]+)\|([^{}|]+)\}`)
	short  = regexp.MustCompile(`^([we~]?)(\d\d-\d\d)$`)
)

// parse reads a set.
func parse(text string) []example {
	var examples []example
	lang := ""
	for row := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if code, ok := strings.CutPrefix(row, "# "); ok && slices.Contains(languages, code) {
			lang = code
			continue
		}
		if !strings.HasPrefix(row, ";") {
			examples = append(examples, parseExample(lang, strings.ReplaceAll(row, `\n`, "\n")))
		}
	}
	return examples
}

func parseExample(lang, row string) example {
	e := example{lang: lang}
	at := 0
	for _, m := range markup.FindAllStringSubmatchIndex(row, -1) {
		e.text += row[at:m[0]]
		from := len(e.text)
		e.text += row[m[2]:m[3]]
		e.want = append(e.want, span{from, len(e.text), written(row[m[4]:m[5]])})
		at = m[1]
	}
	e.text += row[at:]
	return e
}

// written returns a date in full.
func written(means string) string {
	if what, day, ok := strings.Cut(means, ">"); ok {
		return "the " + what + " after 2026-" + day
	}
	if m := short.FindStringSubmatch(means); m != nil {
		return map[string]string{"w": "the week of ", "e": "the weekend of ", "~": "about "}[m[1]] + "2026-" + m[2]
	}
	return means
}

// score counts what was found against what was to be found.
type score struct {
	sentences, traps   int
	right, wrong, lost int // hits; a span or a date that differs is both wrong and lost
}

func (s score) precision() float64 { return share(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return share(s.right, s.right+s.lost) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// measure scores a set by language, "" being all of them, and says what was wrong or lost.
func measure(examples []example) (map[string]score, []string) {
	scores := make(map[string]score)
	var errors []string
	for _, e := range examples {
		var got []span
		for _, h := range reldate.Find(e.text) {
			got = append(got, span{h.From, h.To, h.Date(anchor)})
		}
		one := score{sentences: 1}
		if len(e.want) == 0 {
			one.traps = 1
		}
		for _, g := range got {
			if slices.Contains(e.want, g) {
				one.right++
			} else {
				one.wrong++
				errors = append(errors, fmt.Sprintf("%s wrong %q (%s) in %q", e.lang, e.text[g.from:g.to], g.means, e.text))
			}
		}
		for _, w := range e.want {
			if !slices.Contains(got, w) {
				one.lost++
				errors = append(errors, fmt.Sprintf("%s lost %q (%s) in %q", e.lang, e.text[w.from:w.to], w.means, e.text))
			}
		}
		for _, key := range []string{e.lang, ""} {
			s := scores[key]
			s.sentences, s.traps = s.sentences+one.sentences, s.traps+one.traps
			s.right, s.wrong, s.lost = s.right+one.right, s.wrong+one.wrong, s.lost+one.lost
			scores[key] = s
		}
	}
	return scores, errors
}
