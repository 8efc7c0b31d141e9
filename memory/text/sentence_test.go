package text

import (
	"strings"
	"testing"
)

func TestSentence(t *testing.T) {
	for _, marked := range []string{
		"Alpha. ⟨X beta.⟩ Gamma.", "⟨a X e.g. b, v. 2. c\n⟩- d", "- a\n⟨- X\n  b\n⟩- c", "a\n\n⟨X b\n⟩\nc", "⟨# X\n⟩a", "| a |\n⟨| X |\n⟩| b |", "甲。⟨乙X。⟩丙", "a! ⟨X?⟩ b", "⟨on 17. May X ended.⟩ b", "It is 8 s. ⟨X feeds it.⟩ b",
	} {
		text := strings.NewReplacer("⟨", "", "⟩", "").Replace(marked)
		at := strings.Index(text, "X")
		from, to := Sentence(text, at, at+1)
		if got := text[:from] + "⟨" + strings.TrimRight(text[from:to], " ") + "⟩" + text[from+len(strings.TrimRight(text[from:to], " ")):]; got != marked {
			t.Errorf("%q: got %q", marked, got)
		}
	}
}

func TestBlock(t *testing.T) {
	for _, marked := range []string{"a\n\n⟨b X\nc\n⟩\nd", "⟨# X\n⟩a", "- a\n⟨- b\n  X\n⟩- c", "| a |\n⟨| X |\n⟩", "⟨X⟩"} {
		text := strings.NewReplacer("⟨", "", "⟩", "").Replace(marked)
		from, to := Block(text, strings.Index(text, "X"))
		if got := text[:from] + "⟨" + text[from:to] + "⟩" + text[to:]; got != marked {
			t.Errorf("%q: got %q", marked, got)
		}
	}
}

func TestLead(t *testing.T) {
	for text, want := range map[string]string{
		"Removed:\n\n- a\n- X": "Removed:", "Removed:\n- a\n- X": "Removed:", "**Removed:**\n\n```sh\nX": "**Removed:", "a:\n\n# b\n\n- X": "", "a:\n\nb\n\n- X": "", "a:\n\nX": "", "- a:\n  - X": "- a:", "- X": "",
	} {
		if got := Lead(text, strings.Index(text, "X")); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHeadings(t *testing.T) {
	text := "# a\nb\n## c\nd X\n# e"
	var got []string
	for h := range Headings(text, strings.Index(text, "X")) {
		got = append(got, strings.TrimSpace(h))
	}
	if strings.Join(got, ",") != "## c,# a" {
		t.Errorf("got %q", got)
	}
}

// FuzzSentence holds that what is around a place holds the place.
func FuzzSentence(f *testing.F) {
	for _, seed := range []string{"a `b` [c](d) <!-- e --> ```\nf", "- a\n  b\n# c:\n\n- d. e", "``` \n", "\xff`\n>"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if strings.Join(Sentences(text), "") != text {
			t.Fatalf("%q: cut into %q", text, Sentences(text))
		}
		if at < 0 || at >= len(text) {
			return
		}
		if from, to := Sentence(text, at, at); from > at || to < at {
			t.Fatalf("%q: the sentence around %d is [%d:%d]", text, at, from, to)
		}
		if from, to := Block(text, at); from > at || to <= at {
			t.Fatalf("%q: the block around %d is [%d:%d]", text, at, from, to)
		}
		Lead(text, at)
		for range Headings(text, at) {
			break
		}
	})
}
