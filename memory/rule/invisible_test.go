package rule

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestInvisible(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // what of each finding's message is to be read
	}{
		{"override", "a\u202eb", []string{"U+202E in column 2"}},
		{"isolates", "x\n\u2066a\u2069", []string{"U+2066 in column 1, U+2069 in column 3"}},
		{"column in characters", "한국어 é\u0301\u200bx", []string{"U+200B in column 7"}},
		{"zero width", "a\u200bb\u200cc\u200dd\u2060e\ufefff", []string{"U+200B in column 2, U+200C in column 4, U+200D in column 6, U+2060 in column 8 and 1 more"}},
		{"soft hyphen", "pass\u00adword", []string{"U+00AD"}},
		{"tags", "hi\U000e0068\U000e0069", []string{"U+E0068 in column 3, U+E0069 in column 4"}},
		{"tags behind a flag that end nowhere", "\U0001f3f4\U000e0068\U000e0069.", []string{"U+E0068 in column 2"}},
		{"bytes in selectors", "😀\U000e0131\U000e0142", []string{"U+E0131 in column 2"}},
		{"selectors in a row", "❤\ufe0f\ufe0f", []string{"U+FE0F in column 3"}},
		{"bits in selectors", "a\ufe00b\ufe01", []string{"U+FE00 in column 2, U+FE01 in column 4"}},
		{"a selector at the head", "\ufe0fx", []string{"U+FE0F"}},
		{"escape", "a\x1b[31mb", []string{"U+001B in column 2"}},
		{"NUL, backspace, delete", "\x00\b\x7f", []string{"U+0000 in column 1, U+0008 in column 2, U+007F in column 3"}},
		{"a carriage return within a line", "good\rbad", []string{"U+000D in column 5"}},
		{"fillers of Hangul", "a\u3164b\u115f", []string{"U+3164 in column 2"}},
		{"joiners in a row", "می\u200c\u200cx", []string{"U+200C in column 4"}},
		{"a joiner between Latin letters", "a\u200db", []string{"U+200D"}},
		{"direction marks without need", "a\u200e\u200fb", []string{"U+200E in column 2"}},
		{"a second byte order mark", "\ufeff\ufeffx", []string{"U+FEFF in column 1"}},
		{"other line ends", "a\u2028b\u2029c\u0085d\ve\ff\r\r\n", []string{"U+2028 in column 2, U+2029 in column 4, U+0085 in column 6, U+000B in column 8 and 2 more"}},
		{"two lines", "a\u202eb\nc\nd\u202ee", []string{"U+202E", "U+202E"}},

		{"plain", "a\tb\r\nc\n", nil},
		{"byte order mark", "\ufeff# M\n", nil},
		{"emoji", "👨‍👩‍👧 🧑🏽‍💻 🏳️‍🌈 ❤️‍🔥 ☺︎ ©️ ℹ️ ‼️ 〰️ 👁️‍🗨️", nil},
		{"key caps", "1\ufe0f\u20e3 #\ufe0f\u20e3", nil},
		{"the flag of Wales", "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f is one", nil},
		{"Persian", "می\u200cخواهم نامه\u200cای", nil},
		{"Arabic with vowel marks", "كَ\u200cبِ", nil},
		{"Hindi", "क्\u200dष क्\u200cष", nil},
		{"Malayalam", "ന്\u200d", nil},
		{"Sinhala", "ශ්\u200dරී", nil},
		{"Hebrew and Latin", "שלום\u200f (C++)\u200e", nil},
		{"Khmer, Thai", "ភាសា\u200bខ្មែរ ภาษา\u200bไทย", nil},
		{"Mongolian", "ᠠ\u180b", nil},
		{"ideographs with variants", "葛\U000e0100 神\ufe00", nil},
		{"mathematics with variants", "∩\ufe00 0\ufe00", nil},
		{"combining marks", "e\u0301 a\u0308\u0304 ก็ 각", nil},
		{"signs that enclose digits", "\u0600123", nil},
		{"not UTF-8", "a\xff\xfeb", nil},
		{"private use", "\ue0b0", nil},
	}
	for _, test := range tests {
		found := findInvisible("a.md", []byte(test.text))
		if len(found) != len(test.want) {
			t.Errorf("%s: found %+v", test.name, found)
			continue
		}
		for i, f := range found {
			if !strings.Contains(f.Message, test.want[i]) {
				t.Errorf("%s: %q, want %q", test.name, f.Message, test.want[i])
			}
		}
	}
}

func TestInvisibleRule(t *testing.T) {
	s := snapshotOf(t, map[string]string{
		"MEMORY.md": "# M\n- [A](a.md) — x\u202ey\n<!-- \u200b -->\n",
		"a.md":      "---\nname: a\u200b\ndescription: b\ntype: user\n---\n\nx\x1b[8my\n",
	})
	want := []string{"error invisible MEMORY.md:2", "error invisible MEMORY.md:3", "error invisible a.md:2", "error invisible a.md:7"}
	if got := show(Check{After: s, Changed: pathSet(t, "a.md"), Now: ruleTime}.Whole()); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := show(Check{After: s, Now: ruleTime}.Written(mustName(t, "a.md"))); !slices.Equal(got, want[2:]) {
		t.Errorf("written: got %q, want %q", got, want[2:])
	}
	for i := range want {
		want[i] = strings.Replace(want[i], "error", "warning", 1)
	}
	if got := show(Standing(s, nil, ruleTime)); !slices.Equal(got, want) {
		t.Errorf("standing: got %q, want %q", got, want)
	}
	// Who changes another line makes nothing worse; a second one of the kind is new.
	changed := snapshotOf(t, map[string]string{
		"MEMORY.md": "# M\n- [A](a.md) — xy\n",
		"a.md":      "---\nname: a\u200b\ndescription: b\ntype: user\n---\n\nbefore\nx\x1b[8my\nx\x1b[8my\n",
	})
	wantChanged := []string{"error invisible a.md:9", "warning invisible a.md:2", "warning invisible a.md:8"}
	if got := show(Check{Before: s, After: changed, Changed: pathSet(t, "a.md"), Now: ruleTime}.Whole()); !slices.Equal(got, wantChanged) {
		t.Errorf("changed: got %q, want %q", got, wantChanged)
	}
	old := strings.Repeat("\x00\n", maxPlaces+3)
	s = snapshotOf(t, map[string]string{"a.md": memo("a", "user", old)})
	for more, want := range map[string]Severity{"": Warning, "\x00\n": Error} {
		after := snapshotOf(t, map[string]string{"a.md": memo("a", "user", old+more)})
		f := Check{Before: s, After: after, Changed: pathSet(t, "a.md"), Now: ruleTime}.Whole()
		if f[0].Severity != want || f[maxPlaces].Severity != Warning {
			t.Errorf("%d lines stood and %q is new: %q", maxPlaces+3, more, show(f))
		}
	}
	many := slices.DeleteFunc(Standing(s, nil, ruleTime), func(f Finding) bool { return f.Rule != "invisible" })
	if len(many) != maxPlaces+1 || !strings.Contains(many[maxPlaces].Message, "3 more lines") {
		t.Errorf("%d findings, the last %+v", len(many), many[len(many)-1])
	}
}

// FuzzInvisible holds the laws of the rule: it stops nowhere, its findings tell nothing that is hidden
// themselves, and what it leaves alone holds no control character and none that changes direction.
func FuzzInvisible(f *testing.F) {
	for _, text := range []string{"a\u202eb", "\ufeffx\r\n", "👨‍👩‍👧\ufe0f", "می\u200cx", "\U0001f3f4\U000e0067\U000e007f", "a\xff\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := findInvisible("a.md", []byte(text))
		for _, finding := range found {
			if len(findInvisible("", []byte(finding.Message))) > 0 || finding.Line < 1 || finding.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("%+v of %q", finding, text)
			}
		}
		if len(found) > 0 {
			return
		}
		for _, r := range text {
			if 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
				t.Fatalf("%U passed in %q", r, text)
			}
		}
	})
}
