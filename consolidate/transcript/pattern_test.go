package transcript

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzLines: lines are what lies between newlines, whatever is read at once.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbc\n\nlonger than a block\nhalf"), 3)
	f.Add([]byte("\n\n"), 1)
	f.Add([]byte(""), 64)
	f.Fuzz(func(t *testing.T, text []byte, block int) {
		if block < 1 || block > 1<<12 {
			t.Skip()
		}
		l := newLineReader(bytes.NewReader(text), block)
		offset := 0
		for number := 1; ; number++ {
			line, ended, err := l.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			want, _, newline := bytes.Cut(text[offset:], []byte("\n"))
			if !bytes.Equal(line, want) || ended != newline || l.number != number || l.start != int64(offset) {
				t.Fatalf("line %d at %d: %q, ended %v; want %q at %d", l.number, l.start, line, ended, want, offset)
			}
			if offset += len(line); ended {
				offset++
			}
			if l.next != int64(offset) || ended && l.settled.next != int64(offset) {
				t.Fatalf("line %d: next %d, settled %d, want %d", number, l.next, l.settled.next, offset)
			}
		}
		if offset != len(text) {
			t.Fatalf("%d of %d bytes", offset, len(text))
		}
	})
}

// FuzzMatches: a pattern stands in a text when the expression matches it, whatever way was taken.
func FuzzMatches(f *testing.F) {
	for i, pattern := range []string{
		"lamp", "error.{0,3}lamp", `^lamp$`, `lamp\s+door`, `lamp[^a]door`, `(?s)lamp.door`, `\Alamp`, `lamp\z`, `(?-m)lamp$`, `\blamp\b`,
		"k", "kelvin|lamp", "last", "é", "[dD]oor$", `lamp\ndoor`, "(lamp|door)+", "lam?p", `\Blamp`,
	} {
		for _, text := range []string{
			"a lamp\ndoor", "lamp", "\nlamp\n", "lamp\n\nlamp door", "LAMP  Door", "error lamp", "error\nlamp", "\u212aelvin", "la\u017ft k", "laSt É é", "clamps",
		} {
			f.Add(pattern, text, i%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, expression, text string, sensitive bool) {
		for _, regex := range []bool{false, true} {
			p, err := compile(Query{Pattern: expression, Regex: regex, CaseSensitive: &sensitive})
			if err != nil {
				continue
			}
			text := strings.ToValidUTF8(text, "?")
			plain := expression
			if !regex {
				plain = regexp.QuoteMeta(plain)
			}
			flags := "(?m)"
			if !sensitive {
				flags = "(?mi)"
			}
			re := regexp.MustCompile(flags + plain)
			if got, want := p.matches(text), re.MatchString(text); got != want {
				t.Fatalf("%q in %q: %v, want %v", expression, text, got, want)
			}
			if got, want := p.count(text), len(re.FindAllStringIndex(text, maxCounted)); got != want {
				t.Fatalf("%q in %q: %d times, want %d", expression, text, got, want)
			}
			at := re.FindStringIndex(text)
			if start, end, ok := p.find(text); ok != (at != nil) || ok && at[0] != at[1] && (start != at[0] || end != at[1]) {
				t.Fatalf("%q in %q: at %d to %d, want %v", expression, text, start, end, at)
			}
		}
	})
}

// FuzzRows: of the texts of a digest those match that match alone.
func FuzzRows(f *testing.F) {
	for _, row := range [][2]string{{"a lamp", "LAMP"}, {"xxxxxxxxxxxxxxxxxxxxxxxxlamplamp", "lamp"}, {"Привет, ПРИВЕТ", "привет"}, {"größe GRÖSSE GRÖßE", "größe"},
		{"300 \u212aelvin", "kelvin"}, {"ſs", "ss"}, {"`{@[", "`["}, {"ΩωΩ Åå", "ω"}, {"İıiI", "ii"}, {"日本語ランプ", "本語"}} {
		f.Add(row[0], row[1])
	}
	f.Fuzz(func(t *testing.T, text, literal string) {
		text = strings.ToValidUTF8(text, "?")
		no := false
		p, err := compile(Query{Pattern: literal, CaseSensitive: &no})
		if err != nil || text == "" {
			t.Skip()
		}
		d := &digest{}
		b := newDigester(digest{}, nil, 0)
		for _, said := range []string{text, "between", text + "x", strings.ToUpper(text)} {
			b.add(&utterance{Utterance: Utterance{Speaker: User, Text: said, Line: 1}, place: 1})
		}
		d.rows, d.text = b.rows, b.said.String()
		var got, want []int
		p.rows(d, func(int) bool { return true }, func(i int) { got = append(got, i) })
		for i := range d.rows {
			if p.matches(d.said(i)) {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in %q: rows %v, want %v", literal, text, got, want)
		}
	})
}
