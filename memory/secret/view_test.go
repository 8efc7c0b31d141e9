package secret

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"dream-mcp/memory/visible"
)

func TestAllowed(t *testing.T) {
	hub, plain := "gh"+"p_"+made(1, 36), made(3, 32)
	text := "use " + hub + " and api_key=" + plain
	sum := fmt.Sprintf("%X", sha256.Sum256([]byte(hub)))
	for _, test := range []struct {
		allowed Allowed
		want    string
	}{
		{nil, "use [secret: github-token] and api_key=[secret: api-key]"},
		{Allowed{sum[:12]}, "use " + hub + " and api_key=[secret: api-key]"},
		{Allowed{"", "no sum", sum}, "use " + hub + " and api_key=[secret: api-key]"},
		{Allowed{sum[:11], ""}, "use [secret: github-token] and api_key=[secret: api-key]"}, // too short to mean one value
	} {
		if got := test.allowed.Mask(text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.allowed, got, test.want)
		}
	}
}

func TestView(t *testing.T) {
	hub := "gh" + "p_" + made(1, 36)
	text := "a\nb " + hub + " c\npassword: \"k7" + "Qm2xVb9\" d"
	v := Allowed(nil).View(text)
	if v.Text != "a\nb [secret: github-token] c\npassword: \"[secret: password]\" d" {
		t.Fatalf("shown as %q", v.Text)
	}
	for _, test := range []struct{ shown, real string }{
		{"a\nb ", "a\nb "},
		{"b [secret: github-token]", "b " + hub},
		{"[secret: github-token]", hub},
		{"github", hub}, // a part stands for all of it
		{" c\npassword: \"", " c\npassword: \""},
		{"token] c\npassword: \"[sec", hub + " c\npassword: \"k7" + "Qm2xVb9"},
		{"\" d", "\" d"},
	} {
		at := strings.Index(v.Text, test.shown)
		if from, to := v.Real(at, at+len(test.shown)); text[from:to] != test.real {
			t.Errorf("%q stands for %q, want %q", test.shown, text[from:to], test.real)
		}
	}
}

func TestShowJSON(t *testing.T) {
	hub := "gh" + "p_" + made(1, 36)
	for _, test := range []struct{ text, want string }{
		{`{"a":["` + hub + `",1,"<b>"],"` + hub + `":"x"}`, `{"a":["[secret: github-token]",1,"<b>"],"[secret: github-token]":"x"}`},
		{`{"password":"k7` + `Qm2xVb9"}`, `{"password":"[secret: password]"}`},
		{`{"text":"{\"password\":\"k7` + `Qm2xVb9\",\"n\":[1,\"` + hub + `\"]}"}`,
			`{"text":"{\"password\":\"[secret: password]\",\"n\":[1,\"[secret: github-token]\"]}"}`},
		{"{\"a\u202eb\":\"\\u0000\\u001b\u2028\\n\u009b\"}", `{"a⟨U+202E⟩b":"⟨U+0000⟩⟨U+001B⟩⟨U+2028⟩\n⟨U+009B⟩"}`},
		{`{"id":"` + hub + `","a":{"id":"` + hub + `"}}`, `{"id":"` + hub + `","a":{"id":"[secret: github-token]"}}`},
		{`{"a":"the password is \"k7` + `Qm2xVb9\"\n<x>"}`, `{"a":"the password is \"[secret: password]\"\n<x>"}`},
		{`"\ud800 ` + hub + `"`, "\"\ufffd [secret: github-token]\""},
		{`"` + hub, `"` + hub},
	} {
		exact := func(depth int, key string) bool { return depth == 1 && key == "id" }
		if got := Allowed(nil).ShowJSON([]byte(test.text), exact); string(got) != test.want {
			t.Errorf("%s becomes %s, want %s", test.text, got, test.want)
		}
	}
}

func TestWriter(t *testing.T) {
	var coloured bytes.Buffer
	fmt.Fprint(&Writer{Out: &coloured, Colours: []string{"\x1b[1m"}}, "\x1b[1ma\x1b[2m\x1b\x1b[1m\r\n\u202e")
	if want := "\x1b[1ma⟨U+001B⟩[2m⟨U+001B×2⟩[1m\n⟨U+202E⟩"; coloured.String() != want {
		t.Errorf("%q, want %q", coloured.String(), want)
	}
	var b bytes.Buffer
	if n, err := fmt.Fprintf(&Writer{Out: &b}, "use gh%s!\n", "p_"+made(1, 36)); err != nil ||
		n != len("use !\n")+40 || b.String() != "use [secret: github-token]!\n" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
}

// FuzzShow holds that what Show returns can be shown again unchanged, keeps its lines, and leads back to the
// real text.
func FuzzShow(f *testing.F) {
	for _, text := range []string{"a\u202eb\r\nc\r\x00\x00", "password: k7" + "Qm2xVb9\u2028\u0085 gh" + "p_" + made(1, 36) + "\xff", "👩\u200d💻"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := Allowed(nil).Show(text)
		if visible.Text(v.Text) != v.Text || strings.Count(v.Text, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q is shown as %q", text, v.Text)
		}
		at := 0
		for _, s := range append(v.runs, visible.Run{From: len(text), To: len(text)}) {
			from, to := v.Shown(at, s.From)
			if v.Text[from:to] != text[at:s.From] {
				t.Fatalf("%q is shown as %q in %q", text[at:s.From], v.Text[from:to], v.Text)
			}
			if from, to := v.Real(from, to); at < s.From && (strings.TrimPrefix(text[from:at], "\r") != "" || to != s.From) {
				t.Fatalf("[%d:%d] of %q is [%d:%d] when it comes back", at, s.From, text, from, to)
			}
			at = s.To
		}
	})
}

// FuzzView holds that what is outside the credentials stays as it is, where it is, and that places lead
// there and back.
func FuzzView(f *testing.F) {
	hub := "gh" + "p_" + made(1, 36)
	for _, text := range []string{
		"GITHUB_TOKEN=" + hub + "\nx", "한 password: k7" + "Qm2xVb9 " + hub, "-----BEGIN " + "PRIVATE KEY-----\n" + made(3, 90) + "\n\nz",
		hub + " " + hub, "[secret: jwt] " + hub,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := Allowed(nil).View(text)
		if strings.Count(v.Text, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q has not as many lines as %q", v.Text, text)
		}
		at, shown := 0, 0
		for i, s := range append(v.Spans, Span{From: len(text), To: len(text)}) {
			from, to := v.Shown(at, s.From)
			if v.Text[from:to] != text[at:s.From] || from != shown {
				t.Fatalf("%q is %q in %q", text[at:s.From], v.Text[from:to], v.Text)
			}
			if from, to = v.Real(from, to); from != at || to != s.From {
				t.Fatalf("the piece before span %d of %q is [%d:%d] when it comes back", i, text, from, to)
			}
			if i < len(v.Spans) {
				from, to = v.Shown(s.From, s.To)
				if back, end := v.Real(from, to); back != s.From || end != s.To {
					t.Fatalf("span %d of %q is [%d:%d] when it comes back", i, text, back, end)
				}
				shown = to
			}
			at = s.To
		}
		quoted, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(Allowed(nil).ShowJSON(quoted, nil), &back); err != nil ||
			back["a"] != Allowed(nil).Mask(strings.ToValidUTF8(text, "\ufffd")) && len(Find(back["a"])) > 0 {
			t.Fatalf("%s, %q: %v", quoted, back, err)
		}
	})
}

// Whoever changes what Find finds changes Rules.
func TestRulesFollowTheSources(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") || f.IsDir() {
			continue
		}
		is, _ := os.ReadFile(f.Name())
		if text, err := sources.ReadFile(f.Name()); err != nil || !bytes.Equal(text, is) {
			t.Errorf("%s is not among the sources: add it to go:embed in view.go", f.Name())
		}
	}
	if none, some := Allowed(nil).Rules(), (Allowed{"0123456789ab"}).Rules(); none == some {
		t.Errorf("%x with and without an allowed value", none)
	}
}
