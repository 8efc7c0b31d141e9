package visible

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a b\tc\nd", "a b\tc\nd"},
		{"other newlines", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb⟨U+000D⟩c⟨U+2028⟩d⟨U+2029⟩e⟨U+0085⟩f"},
		{"runs before a newline", "a\r\r\n\x00\x00\r\n\r", "a⟨U+000D⟩\n⟨U+0000×2⟩\n⟨U+000D⟩"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://x\x1b\\link",
			"⟨U+001B⟩[1;31mred⟨U+001B⟩[0m ⟨U+001B⟩]0;title⟨U+0007⟩x⟨U+001B⟩]8;;http://x⟨U+001B⟩\\link"},
		{"one-byte sequences", "\u009b31mred", "⟨U+009B⟩31mred"},
		{"a bare escape", "a\x1b", "a⟨U+001B⟩"},
		{"controls", "a\x00\x00\x00b\x08c\x7f", "a⟨U+0000×3⟩b⟨U+0008⟩c⟨U+007F⟩"},
		{"bidirectional", "x\u202e\u2066y\u200f", "x⟨U+202E⟩⟨U+2066⟩y⟨U+200F⟩"},
		{"zero width", "pass\u200bword\ufeff\u00ad", "pass⟨U+200B⟩word⟨U+FEFF⟩⟨U+00AD⟩"},
		{"joiner between Latin letters", "a\u200db", "a⟨U+200D⟩b"},
		{"fillers", "a\u3164\u115f", "a⟨U+3164⟩⟨U+115F⟩"},
		{"tags", "x\U000e0041\U000e0042", "x⟨U+E0041⟩⟨U+E0042⟩"},
		{"a family", "👨‍👩‍👧", "👨‍👩‍👧"},
		{"a heart on fire", "❤️‍🔥", "❤️‍🔥"},
		{"skin tone and profession", "👩🏽‍💻", "👩🏽‍💻"},
		{"a region's flag", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
		{"a flag that never ends", "🏴\U000e0067", "🏴⟨U+E0067⟩"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Arabic with a joiner at the end", "ه\u200d.", "ه\u200d."},
		{"Devanagari", "क्\u200dष", "क्\u200dष"},
		{"a run of joiners", "م\u200c\u200c\u200cم", "م\u200c⟨U+200C×2⟩م"},
		{"selectors in a row", "✓\ufe0f\ufe0f", "✓\ufe0f⟨U+FE0F⟩"},
		{"a selector on nothing", " \ufe0f", " ⟨U+FE0F⟩"},
		{"marks", "e\u0301 ก็ שָׁ", "e\u0301 ก็ שָׁ"},
		{"invalid", "a\xffb", "a\uFFFDb"},
		{"marks of direction", "שלום\u200f (C++)\u200e\nC++\u200e\nא\u200f", "שלום\u200f (C++)\u200e\nC++⟨U+200E⟩\nא\u200f"},
		{"bits in selectors", "a\ufe00b", "a⟨U+FE00⟩b"},
		{"Thai words", "ภาษา\u200bไทย", "ภาษา\u200bไทย"},
		{"Korean and Chinese", "어제 昨天", "어제 昨天"},
	}
	for _, test := range tests {
		if got := Text(test.in); got != test.want {
			t.Errorf("%s: Text(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"a\u200db", "\x1b[0m", "🏴\U000e0067\U000e007f", "\r\n\u202e\xff", "م\u200c\u200cم", "\u009b\x1b["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\u202e\u200b\u2028\x7f\u009b") {
			t.Errorf("Text(%q) = %q", text, got)
		}
		if again := Text(got); again != got {
			t.Errorf("Text twice: %q, then %q", got, again)
		}
	})
}

func TestShort(t *testing.T) {
	tests := []struct {
		text, want string
	}{
		{"", ""}, {"abc", "abc"}, {"abcd", "ab…"}, {"äöü", "äöü"}, {"äöüß", "äö…"}, {"\xff\xff\xff\xff", "\xff\xff…"},
	}
	for _, test := range tests {
		if got := Short(test.text, 3); got != test.want {
			t.Errorf("Short(%q, 3) = %q, want %q", test.text, got, test.want)
		}
	}
}
