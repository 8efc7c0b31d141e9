package main

import (
	"bytes"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/signal"
)

// TestFloors holds what the rules reach: a little less than when they were written, so that a change
// of one sentence is not a failure and a change for the worse is. Of unforeseen turns of phrase half are
// missed; what is found must be right all the same.
func TestFloors(t *testing.T) {
	for _, test := range []struct {
		file              string
		precision, recall float64
		kind, language    float64 // both, of each kind and of each language
	}{
		{"labelled", 0.96, 0.96, 0.90, 0.93},
		{"heldout", 0.94, 0.95, 0.85, 0.88},
		{"unforeseen", 0.90, 0.40, 0, 0},
		{"messages", 0.90, 0.90, 0, 0},
	} {
		sentences, err := read(test.file)
		if err != nil {
			t.Fatal(err)
		}
		v := judge(sentences)
		if all := v.sum("", ""); all.precision() < test.precision || all.recall() < test.recall {
			t.Errorf("%s: precision %.3f, recall %.3f", test.file, all.precision(), all.recall())
		}
		for _, kind := range signal.Kinds() {
			if sum := v.sum(kind, ""); min(sum.precision(), sum.recall()) < test.kind {
				t.Errorf("%s, %s: precision %.3f, recall %.3f", test.file, kind, sum.precision(), sum.recall())
			}
		}
		for _, language := range languages {
			if sum := v.sum("", language); min(sum.precision(), sum.recall()) < test.language {
				t.Errorf("%s, %s: precision %.3f, recall %.3f", test.file, language, sum.precision(), sum.recall())
			}
		}
	}
}

// spoken is by what two sentences are the same.
type spoken struct{ speaker, text string }

// TestFiles: enough sentences of each language, none twice, about half of them innocent.
func TestFiles(t *testing.T) {
	seen := map[spoken]string{}
	for _, test := range []struct {
		file          string
		all, language int
	}{{"labelled", 420, 40}, {"heldout", 120, 15}, {"unforeseen", 79, 9}, {"messages", 110, 7}} {
		sentences, err := read(test.file)
		if err != nil {
			t.Fatal(err)
		}
		count, innocent := map[string]int{}, 0
		for _, s := range sentences {
			count[s.language]++
			if s.kinds == nil {
				innocent++
			}
			key := spoken{s.speaker, s.text}
			if seen[key] != "" {
				t.Errorf("%s: %q is in %s too", test.file, s.text, seen[key])
			}
			seen[key] = test.file
		}
		if len(sentences) < test.all || innocent < len(sentences)*2/5 {
			t.Errorf("%s: %d sentences, %d innocent", test.file, len(sentences), innocent)
		}
		if len(count) != len(languages) {
			t.Errorf("%s: languages %v", test.file, count)
		}
		for _, language := range languages {
			if count[language] < test.language {
				t.Errorf("%s: %d sentences in %s", test.file, count[language], language)
			}
		}
	}
}

// TestWidth: Chinese and Japanese are typed with wide signs as often as with narrow ones; what is
// found must be the same.
func TestWidth(t *testing.T) {
	widen := strings.NewReplacer(",", "，", "?", "？", "!", "！", ":", "：")
	for _, file := range files {
		sentences, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sentences {
			if s.language != "zh" && s.language != "ja" || strings.Contains(s.text, "://") {
				continue
			}
			if wide := widen.Replace(s.text); signal.Of(s.speaker, wide) != signal.Of(s.speaker, s.text) {
				t.Errorf("%q has %q, %q has %q", wide, signal.Of(s.speaker, wide).Kinds(), s.text, signal.Of(s.speaker, s.text).Kinds())
			}
		}
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"labelled: ", "heldout: ", "unforeseen: ", "messages: ", "precision/recall", "corrections", "missed "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
