package signal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzMay: a line that may hold no signal holds none.
func FuzzMay(f *testing.F) {
	files, _ := filepath.Glob("measure/testdata/*.tsv")
	if len(files) == 0 {
		f.Fatal("no sentences")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f.Add(strings.TrimSpace(line[strings.LastIndexByte(line, '\t')+1:]))
		}
	}
	for _, text := range []string{
		"wait??", "no!?", "WHY IS THIS STILL RED HERE", "see PLUM-12", "https://x.org/a", "x.dev/a", "#421 it is", "don’t do that", "that’s wrong", "don’t touch the schema", "you’re missing the point", "it’s still not right here", "NON, C’EST FAUX",
		"i", "no", "n", "c'", "ÉTÉ faux", "오류 원인은", "不要这样", "a\xc3", "that's wrong, isn't it?",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range Kinds() {
			for _, speaker := range []string{user, assistant} {
				l := listener{table: phrases(), text: text, wanted: heard(speaker), sought: heard(speaker) | unspoken}
				if kind != Corrections {
					l.wanted &= setOf(kind)
					l.sought = l.wanted | unspoken
				}
				l.report = func(s signal) bool {
					if s.kinds&l.wanted != 0 {
						t.Errorf("%q of %v stands in a line that was left: %q", text[s.from:s.to], s.kinds.Kinds(), text)
					}
					return true
				}
				if !l.may(0) {
					l.hear(0)
				}
			}
		}
	})
}
