package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"short", "a b c\n", "a b c\n"},
		{"prose", "one two three four five", "one two three four\nfive"},
		{"an indent", "  one two three four", "  one two three\n  four"},
		{"a label", "time    one two three", "time    one two\n        three"},
		{"a long word stays whole", "memory  /a/very/long/path/indeed and more", "memory  /a/very/long/path/indeed\n        and more"},
		{"a diff", "+one two three four five", "+one two three four five"},
		{"colours have no width", "\x1b[1mone two\x1b[0m three four five", "\x1b[1mone two\x1b[0m three four\nfive"},
		{"wide characters", "部署 在周五 进行 发布 前要", "部署 在周五 进行\n发布 前要"},
	} {
		if got := Wrap(test.text, 18); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// No word is lost, broken or moved.
func FuzzWrap(f *testing.F) {
	f.Add("● time      last dream 9 days ago; 24 hours needed", 20)
	f.Add("  a\n\n b  c", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 0 || width > 1000 || strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' }) {
			return
		}
		if got, want := strings.Fields(Wrap(text, width)), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q became %q", want, got)
		}
	})
}
