package transcript

import (
	"bytes"
	"strings"
	"testing"
)

// TestCompany: where an expression is a row of literals, a line of the transcript is passed over that
// lacks one of them, and no other.
func TestCompany(t *testing.T) {
	f := talk(1).
		user("the Fresnel lens and the lantern").
		user("the lantern and the Fresnel lens").
		user("the Fresnel lens alone").user("a lantern alone").
		user("the Fresnel lens\nand the lantern").
		says("m1", words("a Fresnel lens")).says("m1", words("and the lantern")).
		user("the Fre\u017fnel lens in a lantern").
		user("the Fresnel lens in the tower, an Écluse").
		user("the Fre\u017fnel lens under a lantern")
	f.lines[len(f.lines)-1] = strings.ReplaceAll(f.lines[len(f.lines)-1], "\u017f", `\u017f`)
	s := store(t, f)
	s.DigestMemory = 0
	for expression, want := range map[string]int{
		`Fresnel.*lantern`:             1,
		`lantern.*Fresnel`:             1,
		`(Fresnel.*)lantern`:           1,
		`Fresnel(?s:.)*?lantern`:       3,
		`Fresnel\s[^;]+lantern`:        3,
		`(?i)fresnel.*LANTERN`:         3,
		`(?i)fresnel.*under a lantern`: 1,
		`(?i)lantern.*fresnel`:         1,
		`(?i)lens.*lantern`:            3,
		`(?i)fresnel.*(écluse)`:        1,
		`Fresnel.*(lantern|tower)`:     2,
		`Fresnel.*lens.*Écluse`:        1,
	} {
		if got := search(t, s, Query{Pattern: expression, Regex: true}).Matches; got != want {
			t.Errorf("%s matches %d times, want %d", expression, got, want)
		}
	}
}

// TestCompanyAmongArguments: what a tool was asked is one line of text of several strings, whichever of them holds
// the needle, and whatever the records around it hold.
func TestCompanyAmongArguments(t *testing.T) {
	s := store(t, talk(1).
		user("Fresnel").
		says("m1", use("t1", "Fresnel", fields{"command": "lantern"})).
		says("m2", use("t2", "a\nFresnel", fields{"command": "lantern"})).
		says("m3", use("t3", "lantern", fields{"command": "Fresnel\nb"})).
		says("m4", use("t4", "lantern", fields{"a": fields{"c\nFresnel\nd": "x"}})).
		user("Fresnel").
		says("m5", words("Fresnel"), words("lantern"), words("a Fresnel lantern")).
		says("m6", words("Fresnel"), words("lantern")))
	s.DigestMemory = 0
	for expression, want := range map[string]int{"Fresnel.*lantern": 3, "lantern.*Fresnel": 1} {
		r := search(t, s, Query{Pattern: expression, Regex: true, Speakers: []Speaker{User, Assistant, Tool}})
		if r.Matches != want {
			t.Errorf("%s matches %d times, want %d: %q", expression, r.Matches, want, hits(r))
		}
	}
}

// TestNeedleAmongItsRarestByte: wherever a needle stands in a text that is full of its rarest byte, it is found.
func TestNeedleAmongItsRarestByte(t *testing.T) {
	n := newNeedle([]byte("anLe"), false)
	if n.text[n.first] != 'L' {
		t.Fatalf("the rarest byte is %c", n.text[n.first])
	}
	dense := bytes.Repeat([]byte("anL....Le"), 1400)
	for at := 0; at+len(n.text) <= len(dense); at += 1 + at%3 {
		text := bytes.Clone(dense)
		copy(text[at:], n.text)
		for _, k := range n.kernels() {
			if got, want := k(text), bytes.Index(text, n.text); got != want {
				t.Fatalf("at %d, want %d", got, want)
			}
		}
	}
	for _, k := range n.kernels() {
		if got := k(dense); got >= 0 {
			t.Errorf("found at %d, where it is not", got)
		}
	}
}
