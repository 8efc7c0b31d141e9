package memory

import (
	"io/fs"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// What is a name stays inside, is spelled in one way, and meets its twins in Fold.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a.md", "deep/a.md", "../a.md", "/a.md", "a/../b.md", "a//b.md", "A~1.MD", "caf\u00e9.md",
		"cafe\u0301.md", "CON.md", "a.md:x", ".md", "\u202ea.md", "日本.md", "a .md", "%2e%2e/a.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseName(s)
		if err != nil {
			if n != (Name{}) {
				t.Errorf("%q is refused, and named %q", s, n)
			}
			return
		}
		if n.String() != s || !fs.ValidPath(s) {
			t.Errorf("%q is the name %q", s, n)
		}
		text, _ := n.MarshalText()
		var again Name
		if err := again.UnmarshalText(text); err != nil || again != n {
			t.Errorf("%q is read back as %q, %v", s, again, err)
		}
		for _, twin := range []string{norm.NFD.String(s), norm.NFC.String(s)} {
			if m, err := ParseName(twin); err == nil && m.Fold() != n.Fold() {
				t.Errorf("%q and %q are two names to Fold", s, twin)
			}
		}
	})
}
