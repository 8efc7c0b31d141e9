package search

import (
	"regexp"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzFold: two texts fold to the same where package regexp takes one for the other in another case, and to no longer
// ones.
func FuzzFold(f *testing.F) {
	for _, text := range []string{"", "a lamp", "Kelvin \u212a ſtrict", "データベース移行 Größe ΩΣς İıi Åå ⱥȺ", "\xff\xfe broken \xe3\x83"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := fold(text)
		if len(folded) > len(text) || fold(folded) != folded {
			t.Fatalf("%q becomes %q, and that %q", text, folded, fold(folded))
		}
		if !utf8.ValidString(text) || len(text) > 500 {
			return
		}
		if text != "" && !regexp.MustCompile("(?i)^"+regexp.QuoteMeta(text)+"$").MatchString(folded) {
			t.Fatalf("%q is not %q in another case", folded, text)
		}
		var other []rune
		for _, r := range text {
			other = append(other, unicode.SimpleFold(r))
		}
		if fold(string(other)) != folded {
			t.Fatalf("%q and %q fold to %q and %q", text, string(other), folded, fold(string(other)))
		}
	})
}

// No character becomes longer.
func TestFoldDoesNotLengthen(t *testing.T) {
	for r := range unicode.MaxRune {
		if utf8.RuneLen(foldRune(r)) > utf8.RuneLen(r) {
			t.Errorf("%q becomes %q", r, foldRune(r))
		}
	}
}
