package dfa

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// pieces are what random expressions are made of, texts what random texts are: letters that fold to each
// other, and beyond ASCII; what assertions look at; the first and last of each length in UTF-8 and what is
// none.
var (
	pieces = []string{
		"a", "b", "k", "s", "n", "A", `\\`, `"`, "/", `\t`, "é", "ß", "日", "本", "\u212a", "\U0001f680", `\x{fffd}`, `\x{10ffff}`, `\n`, " ", "-", ".", "(?s:.)",
		`\w`, `\W`, `\d`, `\s`, `\S`, "[a-k]", "[^a]", "[^a\\n]", "[é-日]", `[^é-日]`, `\pL`, `\PL`, `\p{Greek}`, `[\x{80}-\x{7ff}]`, `[^\x00-\x{10ffff}]`,
		"^", "$", `\A`, `\z`, `\b`, `\B`, "(?-m:^)", "(?-m:$)", "",
	}
	texts = []string{
		"a", "b", "k", "s", "K", "S", "A", "\u212a", "ſ", "é", "É", "ß", "α", "日", "本", "日本", "\U0001f680", "\ufffd", "\U0010ffff", "\u0080", "\u07ff", "\u0800",
		"\n", "\n", " ", "-", "_", "0", "\x00", "ab", "aaaaaaaa", "\x7f", `"`, `\`, `\\`, `\n`, `\u0061`, "/", "\t", "\b", "n", "u",
		"\x80", "\xbf", "\xc0\x80", "\xc3", "\xe3\x81", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x9f", "\xf0\x9f\x9a", "\xf4\x90\x80\x80", "\xff",
	}
)

func randomExpression(rng *rand.Rand, depth int) string {
	part := func() string { return randomExpression(rng, depth-1) }
	switch n := rng.IntN(9); {
	case depth == 0 || n == 0:
		return pieces[rng.IntN(len(pieces))]
	case n <= 3:
		return part() + part()
	case n == 4:
		return "(" + part() + "|" + part() + ")"
	case n == 5:
		return "(?i:" + part() + ")"
	default:
		return "(?:" + part() + ")" + []string{"*", "+", "?", "*?", "{2}", "{0,3}", "{2,}"}[rng.IntN(7)]
	}
}

func randomText(rng *rand.Rand, pieces []string, size int) string {
	var text strings.Builder
	few := pieces[rng.IntN(len(pieces)):]
	for range rng.IntN(size + 1) {
		text.WriteString(few[rng.IntN(len(few))])
	}
	return text.String()
}

// check holds a matcher against regexp, on texts as they are, quoted, and one behind the other, in a machine with much room and in one that forgets its
// states over and over.
func check(t *testing.T, re *regexp.Regexp, all []string) {
	t.Helper()
	m := New(re)
	if m.program == nil {
		return
	}
	small := func() *machine {
		s := newMachine(m.program, limits{(fixed + lanes + 3) * m.program.stride, maxKeys})
		s.forgot = -1 << 20 // it goes on, whether that pays or not
		return s
	}
	var together strings.Builder
	var want []int
	for _, text := range all {
		matches := re.MatchString(text)
		if m.Match(text) != matches {
			t.Fatalf("%q matches %q: want %v", re, text, matches)
		}
		if r := small(); match(r, text, &r.bytes) == r.row(matched) != matches {
			t.Fatalf("%q matches %q in little room: want %v", re, text, matches)
		}
		quoted, escapes := spelt(text)
		if got, known := m.MatchQuoted(quoted); known && got != matches || !known && !escapes && m.program != nil && !m.program.anchored {
			t.Fatalf("%q matches %q, quoted: %v, %v, want %v", re, quoted, got, known, matches)
		}
		// What was met in one text is not met in the next.
		if got, known := m.MatchQuoted([]byte(`\u0061`)); known && got != re.MatchString("a") {
			t.Fatalf("%q matches an escape behind %q: %v", re, text, got)
		}
		if utf8.ValidString(text) {
			together.WriteString(text + Gap)
			if matches {
				want = append(want, together.Len()-len(Gap))
			}
		}
	}
	var got []int
	m.MatchEach(together.String(), func(end int) { got = append(got, end) })
	if !slices.Equal(got, want) {
		t.Fatalf("%q matches, in %q, those that end at %d, want %d", re, together.String(), got, want)
	}
	if got := small().matchEach(together.String()); !slices.Equal(got, want) {
		t.Fatalf("%q matches, in %q and in little room, those that end at %d, want %d", re, together.String(), got, want)
	}
}

// spelt is a text as it may stand between the quotes of a JSON string, and whether \u is in it.
func spelt(text string) (quoted []byte, escapes bool) {
	for i, c := range []byte(text) {
		switch j := strings.IndexByte("\"\\/\b\f\n\r\t", c); {
		case j == 2 && i%2 == 0: // a slash need not be escaped
			quoted = append(quoted, c)
		case j >= 0:
			quoted = append(quoted, '\\', `"\/bfnrt`[j])
		case c < ' ':
			quoted, escapes = fmt.Appendf(quoted, `\u%04x`, c), true
		default:
			quoted = append(quoted, c)
		}
	}
	return quoted, escapes
}

// FuzzMatch: it matches where regexp does, whatever the expression and the text.
func FuzzMatch(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, "", "")
	}
	f.Fuzz(func(t *testing.T, seed uint64, expression, text string) {
		rng := rand.New(rand.NewPCG(seed, 2))
		if expression == "" {
			expression = randomExpression(rng, 1+rng.IntN(4))
		}
		re, err := regexp.Compile([]string{"", "(?m)", "(?mi)"}[rng.IntN(3)] + expression)
		if err != nil {
			t.Skip()
		}
		all := []string{text}
		for range 20 {
			all = append(all, randomText(rng, texts, 12))
		}
		for range 3 {
			all = append(all, randomText(rng, texts, 2*minParts))
		}
		check(t, re, all)
	})
}

// TestPitfalls: what is easily taken for something else.
func TestPitfalls(t *testing.T) {
	long := strings.Repeat("x ", minParts)
	for _, row := range []struct {
		expression, text string
		want             bool
	}{
		{`(?i)k`, "\u212a", true}, // KELVIN SIGN
		{`(?i)s`, "\u017f", true}, // LATIN SMALL LETTER LONG S
		{`(?i)ß`, "SS", false},
		{`\bcafé\b`, "café", false}, // a word is one of ASCII
		{`\bcaf`, "café", true},
		{`caf\b`, "café", true},
		{`a[^b]c`, "a\nc", true},
		{`a.c`, "a\nc", false},
		{`a$`, "a\n", false}, // without (?m) the end of the text alone
		{`(?m)a$`, "a\nb", true},
		{`(?m)a$`, "a\r\nb", false},
		{`(?m)^$`, "a\n", true},
		{`^$`, "\n", false},
		{`\z`, long, true},
		{`\Ax`, long, true},
		{`\Ay`, long + "y", false},
		{`\B`, "", true},
		{`\b`, "", false},
		{`\b`, " x", true},
		{`x\b`, long, true},
		{`.{3}`, "\xe6\x97", false}, // each byte that is no rune is one
		{`^..$`, "\xe6\x97", true},
		{`^.$`, "\xe6\x97\xa5", true},
		{`\x{fffd}`, "\xff", true},
		{`^\x{fffd}{3}a`, "\xed\xa0\x80a", true}, // half of a surrogate pair
		{`^.{2}$`, "日\xe0\x80\x80", false},
		{`[^\x00-\x7f]`, long + "\x80", true},
		{`(?s)y.*z`, "y" + long + "z", true}, // open across all parts
		{`(?s)z.*y`, "y" + long + "z", false},
		{`x{1000}`, strings.Repeat("x", 1000), true},
	} {
		re := regexp.MustCompile(row.expression)
		if got := New(re).Match(row.text); got != row.want || re.MatchString(row.text) != row.want {
			t.Errorf("%s matches %.20q: %v, want %v", row.expression, row.text, got, row.want)
		}
	}
}

// TestQuotedIsCut: no part of a quoted text begins amid an escape.
func TestQuotedIsCut(t *testing.T) {
	m := New(regexp.MustCompile(`[ne]\b|\b-`))
	for pad := range 4 * (longestEscape + 1) {
		for _, escape := range []string{`\n`, `\\\n`, `\u000e`} {
			text := strings.Repeat("-", minParts) + escape + strings.Repeat("-", 3*minParts+pad) // the second part begins there
			if matches, known := m.MatchQuoted([]byte(text)); matches || known != !strings.Contains(escape, "u") {
				t.Errorf("%s, %d: %v, %v", escape, pad, matches, known)
			}
		}
	}
}

// TestBounds: a text that leads to more and more states does not fill the memory, and is left to regexp.
func TestBounds(t *testing.T) {
	re := regexp.MustCompile(`(a|b)*a(a|b){40}c`)
	rng := rand.New(rand.NewPCG(1, 2))
	text := []byte(strings.Repeat("b", 1<<16))
	for i := range text {
		text[i] += byte(rng.IntN(2)) - 1
	}
	text[len(text)-41] = 'a'
	m := New(re)
	r := newMachine(m.program, limits{1 << 10, 1 << 10})
	if state := match(r, text, &r.bytes); r.pays() || state == r.row(matched) {
		t.Errorf("it forgot its states %d times, and comes to %d", r.forgot, state)
	}
	if len(r.keys)*r.stride > r.limits.table || r.size > r.limits.keys+(lanes+1)*len(r.key) {
		t.Errorf("%d states of %d classes, %d bytes of keys", len(r.keys), r.stride, r.size)
	}
	small := newMatcher(re, limits{1 << 10, 1 << 10})
	if small.Match(string(text)) || !small.hopeless.Load() || !small.Match(string(text)+"c") {
		t.Error("an expression that was given up does not match as regexp has it")
	}
	if big := New(regexp.MustCompile(`\w{1000}|\s{1000}|\d{1000}|[A-F]{1000}|[B-E]{1000}|x`)); big.program != nil || !big.Match("x") {
		t.Error("a big expression does not match as regexp has it")
	}
}
