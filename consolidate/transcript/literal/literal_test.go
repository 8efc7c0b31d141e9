package literal

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzEach: a literal is found where the same expression matches.
func FuzzEach(f *testing.F) {
	for _, text := range []string{"lamp", "a lamp, the LAMP; the lamp", `he said "the flux capacitor" is flux`,
		"Kelvin \u212a sign, ſtrict", "データベース移行のデータベース", "aaaaaaa"} {
		for _, of := range []string{"lamp", "the lamp", `said "the flux capacitor`, `flux capacitor" said`, "kelvin k", "strict", "ベース移行", "aaa", "x"} {
			f.Add(text+" "+of+of, of, true)
			f.Add(text+" "+of+of, of, false)
			_, size := utf8.DecodeRuneInString(of)
			f.Add(text+"-"+of[size:], of, false) // all but its beginning
		}
	}
	f.Fuzz(func(t *testing.T, text, of string, fold bool) {
		if !utf8.ValidString(text) || !utf8.ValidString(of) || of == "" || len(of) > 100 {
			return
		}
		flags := ""
		if fold {
			flags = "(?i)"
		}
		var want, got [][]int
		want = regexp.MustCompile(flags+regexp.QuoteMeta(of)).FindAllStringIndex(text, -1)
		l := New(of, fold)
		last := 0
		l.Each(text, func(start, end int) int {
			if start < last { // within the last, where an expression does not match again
				return start + 1
			}
			got, last = append(got, []int{start, end}), end
			return end
		})
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q in %q: %v, want %v", of, text, got, want)
		}
		if n := l.Count(text, 1<<20); n != len(want) {
			t.Errorf("%q in %q: counted %d, want %d", of, text, n, len(want))
		}
		if start, end, ok := l.Index(text); ok != (len(want) > 0) || ok && (start != want[0][0] || end != want[0][1]) {
			t.Errorf("%q in %q: %d, %d, %v", of, text, start, end, ok)
		}
	})
}
