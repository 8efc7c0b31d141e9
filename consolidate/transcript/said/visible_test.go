package said

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a b\tc\nd", "a b\tc\nd"},
		{"other newlines", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://x\x1b\\link", "red xlink"},
		{"one-byte sequences", "\u009b31mred", "red"},
		{"a bare escape", "a\x1b", "a⟨U+001B⟩"},
		{"nested escapes", "\x1b[\x1b[0m0m", "0m"},
		{"controls", "a\x00\x00\x00b\x08c\x7f", "a⟨U+0000×3⟩b⟨U+0008⟩c⟨U+007F⟩"},
		{"bidirectional", "x\u202e\u2066y\u200f", "x⟨U+202E⟩⟨U+2066⟩y⟨U+200F⟩"},
		{"a family", "👨‍👩‍👧", "👨‍👩‍👧"},
		{"invalid", "a\xffb", "a\uFFFDb"},
	}
	for _, test := range tests {
		if got := Visible(test.in); got != test.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"a\u200db", "\x1b[0m", "🏴\U000e0067\U000e007f", "\r\n\u202e\xff", "م\u200c\u200cم", "\u009b\x1b["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\u202e\u200b\u2028\x7f\u009b") {
			t.Errorf("Visible(%q) = %q", text, got)
		}
		if again := Visible(got); again != got {
			t.Errorf("Visible twice: %q, then %q", got, again)
		}
	})
}
