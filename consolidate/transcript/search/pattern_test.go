package search

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzMatches: a pattern is in a text when the expression matches it, whatever way was taken.
func FuzzMatches(f *testing.F) {
	for i, pattern := range []string{
		"lamp", "error.{0,3}lamp", `^lamp$`, `lamp\s+door`, `lamp[^a]door`, `(?s)lamp.door`, `\Alamp`, `lamp\z`, `(?-m)lamp$`, `\blamp\b`,
		"k", "kelvin|lamp", "last", "é", "[dD]oor$", `lamp\ndoor`, "(lamp|door)+", "lam?p", `\Blamp`,
	} {
		for _, text := range []string{
			"a lamp\ndoor", "lamp", "\nlamp\n", "lamp\n\nlamp door", "LAMP  Door", "error lamp", "error\nlamp", "\u212aelvin", "la\u017ft k", "laSt É é", "clamps",
		} {
			f.Add(pattern, text, i%2 == 0)
		}
	}
	for _, row := range [][2]string{{"a lamp", "LAMP"}, {"xxxxxxxxxxxxxxxxxxxxxxxxlamplamp", "lamp"},
		{"Привет, ПРИВЕТ", "привет"}, {"größe GRÖSSE GRÖßE", "größe"},
		{"300 \u212aelvin", "kelvin"}, {"ſs", "ss"}, {"`{@[", "`["}, {"ΩωΩ Åå", "ω"}, {"İıiI", "ii"}, {"日本語ランプ", "本語"}} {
		f.Add(row[1], row[0], false)
	}
	f.Fuzz(func(t *testing.T, expression, text string, sensitive bool) {
		for _, regex := range []bool{false, true} {
			p, err := compile(Query{Regex: regex, CaseSensitive: &sensitive}, expression)
			if err != nil {
				continue
			}
			text := strings.ToValidUTF8(text, "?")
			plain := expression
			if !regex {
				plain = regexp.QuoteMeta(plain)
			}
			flags := "(?m)"
			if !sensitive {
				flags = "(?mi)"
			}
			re := regexp.MustCompile(flags + plain)
			if got, _ := p.matches(text); got != re.MatchString(text) {
				t.Fatalf("%q in %q: %v", expression, text, got)
			}
			if got, want := p.count(text), len(re.FindAllStringIndex(text, maxCounted)); got != want {
				t.Fatalf("%q in %q: %d times, want %d", expression, text, got, want)
			}
			at := re.FindStringIndex(text)
			if start, end, ok := p.find(text); ok != (at != nil) || ok && at[0] != at[1] && (start != at[0] || end != at[1]) {
				t.Fatalf("%q in %q: at %d to %d, want %v", expression, text, start, end, at)
			}
		}
	})
}
