package prose

import (
	"strings"
	"testing"
)

// TestSpans holds what is not prose: it is in brackets of this kind: ⟨…⟩.
func TestSpans(t *testing.T) {
	for _, marked := range []string{
		"a ⟨`b`⟩ c", "a ⟨``b ` c``⟩", "a ` b", "a `b\n\nc` d", "⟨`a\nb`⟩", "a ``` b", "a ⟨```b```⟩ c",
		"⟨```sh\na\n```⟩\nb", "⟨~~~\na\n```\n~~~⟩\n", "⟨```\na⟩", "⟨````\n```\n````⟩", "> ⟨```\n> a\n> ```⟩\n> b",
		"⟨[a](b)⟩ c", "⟨[a [b] c](d(e))⟩", "[a] b", "[a]: b", "⟨[a][b]⟩", "⟨[[a]]⟩", "⟨<!-- a -->⟩ b", "<!-- a", "⟨<a href=x>⟩b⟨</a>⟩", "a < b > c",
		"https⟨://x.org/a⟩ b", "⟨\\`⟩a`", "a ~~b~~",
	} {
		text := strings.NewReplacer("⟨", "", "⟩", "").Replace(marked)
		var b strings.Builder
		at := 0
		for _, s := range Spans(text) {
			b.WriteString(text[at:s.From] + "⟨" + text[s.From:s.To] + "⟩")
			at = s.To
		}
		if b.WriteString(text[at:]); b.String() != marked {
			t.Errorf("%q: got %q", marked, b.String())
		}
	}
	s := Spans("```Bash x\n$ a\n```\n")[0]
	if s.Kind != Fence || s.Language != "bash" || s.Inner != 10 || s.InnerTo != 14 {
		t.Errorf("%+v", s)
	}
}

// FuzzSpans holds that spans are in order and within the text.
func FuzzSpans(f *testing.F) {
	for _, seed := range []string{"a `b` [c](d) <!-- e --> ```\nf", "- a\n  b\n# c:\n\n- d. e", "``` \n", "\xff`\n>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Spans(text) {
			if s.From < end || s.To <= s.From || s.To > len(text) || s.Kind != Markup && (s.Inner < s.From || s.InnerTo < s.Inner || s.InnerTo > s.To) {
				t.Fatalf("%q: %+v after %d", text, s, end)
			}
			end = s.To
		}
	})
}
