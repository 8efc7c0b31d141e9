package forgotten

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func listOf(t testing.TB, texts ...string) *List {
	t.Helper()
	l := New()
	for _, text := range texts {
		if !l.Add(text, "", time.Time{}) {
			t.Fatalf("%q was not added", text)
		}
	}
	return l
}

func TestRedact(t *testing.T) {
	l := listOf(t, "Ada Crane", "山田", " «Ann» ", "555-0100")
	for _, test := range []struct{ text, want string }{
		{"ask ADA crane, or ada\n  crane.", "ask (forgotten), or (forgotten)\n."},
		{"**Ada** Crane's", "**(forgotten)'s"},
		{"planning with Ann", "planning with (forgotten)"},
		{"Canada Crane, Ada Cranes", "Canada Crane, Ada Cranes"},
		{"昨日山田さん", "昨日(forgotten)さん"},
		{"call +1 (555) 0100, not 5550100", "call +1 ((forgotten), not 5550100"},
		{"see [Ann](ann.md), notes/ann.md", "see [(forgotten)](ann.md), notes/ann.md"},
		{"", ""},
	} {
		if got := l.Redact(test.text); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

// Keys of frontmatter, and values that are not texts, stay.
func TestRedactHead(t *testing.T) {
	l := listOf(t, "description", "project", "2026", "harbor")
	const head = "---\nname: harbor\ndescription: %s\nmetadata:\n  type: project\n  created: 2026-11-20\n---\n"
	got := l.Redact(fmt.Sprintf(head, "the harbor project") + "description: of the project\n")
	want := strings.Replace(fmt.Sprintf(head, "the (forgotten) (forgotten)"), "name: harbor", "name: (forgotten)", 1) + "(forgotten): of the (forgotten)\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An entry is a text, in however many memories it was forgotten, and can be taken back.
func TestEntries(t *testing.T) {
	l := listOf(t, "Ada Crane", "Ada Crane", "the red mill")
	if n := len(l.Entries()); n != 2 || l.Drop(0) || l.Drop(3) {
		t.Errorf("%d entries", n)
	}
	if !l.Drop(1) || l.Redact("Ada Crane of the red mill") != "Ada Crane of (forgotten)" {
		t.Errorf("after the drop: %q", l.Redact("Ada Crane of the red mill"))
	}
	for text, want := range map[string]bool{"ab cd": true, " abcde ": true, "abcdef": false, "王小": true, "王小明": false} {
		if IsTooShort(text) != want {
			t.Errorf("%q is too short: %t, want %t", text, !want, want)
		}
	}
}

// What is kept does not have the text, and is another with another key.
func TestListKeepsNoText(t *testing.T) {
	a, _ := json.Marshal(listOf(t, "Ada Crane"))
	b, _ := json.Marshal(listOf(t, "Ada Crane"))
	if string(a) == string(b) || strings.Contains(strings.ToLower(string(a)), "ada") {
		t.Errorf("%s and %s", a, b)
	}
}

func TestBounds(t *testing.T) {
	for text, want := range map[string]bool{"a": false, " -- ": false, "ab": true, strings.Repeat("a", MaxRunes+1): false} {
		if got := New().Add(text, "", time.Time{}); got != want {
			t.Errorf("%.10q: %t, want %t", text, got, want)
		}
	}
}

// Whatever the text, it is not found again after it was replaced, lines keep their numbers, and what is around stays.
func FuzzRedact(f *testing.F) {
	f.Add("Ada Crane", "ask ", " again", "x")
	f.Add("a1", "a1 a1", "\xff", "\n")
	f.Add("İx", "(", "\u0301", "A1")
	f.Fuzz(func(t *testing.T, text, before, after, other string) {
		l := New()
		if !l.Add(text, "", time.Time{}) {
			return
		}
		whole := before + " " + text + " " + after + other
		now := l.Redact(whole)
		if l.Spans(now) != nil && !strings.Contains(Mark, strings.ToLower(text)) {
			t.Errorf("%q: %q becomes %q, which still has it", text, whole, now)
		}
		if strings.Count(now, "\n") != strings.Count(whole, "\n") {
			t.Errorf("%q: %q becomes %q, with other lines", text, whole, now)
		}
		if !strings.Contains(strings.ToLower(whole), ".md") && l.Spans(" "+text+" ") == nil {
			t.Errorf("%q is not found", text)
		}
	})
}

// A damaged list is an error and never a panic.
func TestDamagedList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forgotten.json")
	for _, data := range []string{"", "{", `{"key": "", "texts": [{"runes": -1}]}`, `{"texts": [{"runes": 0}]}`, `{"texts": [{"runes": 1000000}]}`} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("%q is read", data)
		}
		Use(path)
		Current().Redact("some text")
	}
	Use("")
}
