package transcript

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// FuzzSieve: a reader behind a sieve hears whatever matches as a reader of every line does, in blocks
// of any size; and what it says of a transcript, or a reader of every line, makes the next pass hear the same.
func FuzzSieve(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, []string{"lamp", "lamp", "日本", "é", "ok", "command", "u006c", "nlamp", "1blamp"}[seed%9], seed%3 == 0, 16+int(seed)*40)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, sensitive bool, block int) {
		rng := rand.New(rand.NewPCG(seed, 2))
		speakers := [][]Speaker{{User, Assistant}, {Assistant}, {Tool}, {User, Assistant, Tool}}[rng.IntN(4)]
		if block < 16 || block > 1<<16 {
			t.Skip()
		}
		transcript := partsTalk(rng).text()
		switch rng.IntN(4) {
		case 0:
			transcript = transcript[:rng.IntN(len(transcript))]
		case 1:
			transcript = strings.TrimSuffix(transcript, "\n")
		}
		all, _ := utterances(t, transcript)
		known := plainness(0)
		if rng.IntN(2) == 0 {
			r := newReader(file{id: id(1)}, newLineReader(strings.NewReader(transcript), block), func(*utterance) error { return nil })
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			known = r.bears
		}
		for _, q := range []Query{
			{Pattern: "lamp"}, {Pattern: text}, {Pattern: "é"}, {Pattern: "nothing"}, {Pattern: "(lamp).{0,9}ok", Regex: true}, {Pattern: "ok.*lamp", Regex: true}, {Pattern: `lamp\W+ok$`, Regex: true}, {Pattern: `o\w.*\bla`, Regex: true},
			{Pattern: "(nothing|command).*é", Regex: true}, {Pattern: "(nothing|command).*ok", Regex: true}, {Pattern: "zq.*nothing_ok", Regex: true},
			{Pattern: "(?s)lamp.*door", Regex: true},
		} {
			q.CaseSensitive, q.Speakers = &sensitive, speakers
			p, err := compile(q)
			if err != nil || p.needles == nil {
				continue
			}
			wanted := func(u *utterance) bool { return slices.Contains(speakers, u.Speaker) && (u.holds || p.matches(u.Text)) }
			var want []string
			for _, u := range all {
				if wanted(u) {
					want = append(want, asHeard(u))
				}
			}
			got, tells, err := sift(transcript, p, speakers, block, known, wanted)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("%q, known %d, of\n%s", q.Pattern, known, transcript), got, want)
			known |= tells
		}
	})
}

// partsTalk writes a transcript in which most lines matter to others.
func partsTalk(rng *rand.Rand) *fixture {
	f := talk(1).user("begin")
	for range 3 + rng.IntN(20) {
		text := []string{"a lamp", "a door", "OK", "é", "日本 lamp", "nothing", "nothing é", "zq nothing_o\u212a", "a\nothing", "<system-reminder>a lamp</system-reminder> OK", "5 \u212a",
			"ok\na lamp\nok", "lamp \"ok\"", "\"lamp\": \"ok\": é", "\x1blamp", "\x1blamp\na lamp", "\\\\nlamp\n\"", "ok <system-reminder>\n</system-reminder>lamp", "<command-name>lamp ok</command-name><command-args>ok</command-args>"}[rng.IntN(19)]
		last := f.lines[len(f.lines)-1]
		switch rng.IntN(15) {
		case 0:
			f.user(text)
		case 1, 2, 3, 4, 5:
			f.says(fmt.Sprint("m", rng.IntN(2)), words(text))
		case 6:
			f.says("m0", words(text), use(fmt.Sprint("t", rng.IntN(2)), "Bash", []fields{{"command": text}, {"lamp": text}, {"a": "x\nlamp", "ok": "y"}, {"a": "x\nok\ny", "ok": text}, {"a": []any{"lamp", "ok"}}}[rng.IntN(5)]))
		case 7:
			f.says("m1", use(fmt.Sprint("t", rng.IntN(2)), "x__grep_transcripts", fields{"pattern": text}))
		case 8:
			f.user([]any{result(fmt.Sprint("t", rng.IntN(2)), text)})
		case 9:
			f.raw(strings.NewReplacer("lamp", `\u006camp`, "<dream", `\u003cdream`, "é", `\u00e9`, "日", `\u65e5`, "\u212a", `\u212a`, "__grep", `\u005f_grep`).Replace(last))
		case 10:
			f.raw(f.lines[rng.IntN(len(f.lines))] + last)
		case 13:
			f.add("user", fields{"message": fields{"content": []any{result("t1", text)}}, "toolUseResult": fields{"lamp": "ok", "ok": text, "é": 1}})
		case 12:
			f.raw([]string{"", "  \r", last[:len(last)/2], last[len(last)/2:], "\x00" + last}[rng.IntN(5)])
		case 14:
			f.add("system", fields{"subtype": "away_summary", "content": text})
		case 11:
			if rng.IntN(4) == 0 {
				f.user(DreamMarker+">"+text).says("m0", words("dreaming")).user("awake")
			}
		}
	}
	return f
}

// asHeard is what a test compares of an utterance: without the text where that need not be decoded.
func asHeard(u *utterance) string {
	text := u.Text
	if u.Speaker == Tool {
		text = "…"
	}
	return fmt.Sprint(u.id(), " ", text, " ", u.offset)
}

// sift reads as a search does.
func sift(text string, p *pattern, speakers []Speaker, block int, known plainness, wanted func(*utterance) bool) (got []string, tells plainness, err error) {
	f := &filter{needles: p.needles, literal: p.isNeedle(), speakers: speakers, decides: raw.isAllText}
	for _, joins := range []bool{false, true} {
		var all []*utterance
		source := strings.NewReader(text)
		r := newReader(file{id: id(1)}, newLineReader(source, block), func(u *utterance) error {
			if wanted(u) {
				all = append(all, u)
			}
			return nil
		})
		r.sieve, r.tools = f.sieve(known, joins), f.hears(known)
		r.answers = (&scan{patterns: []*pattern{p}}).answer
		r.noModel = !slices.Contains(speakers, Assistant)
		if !joins && slices.Contains(speakers, Assistant) {
			r.join = &joiner{source: source}
		}
		if err = r.run(); err == errAlone && !joins {
			continue
		}
		slices.SortFunc(all, func(a, b *utterance) int { return cmp.Or(a.Line-b.Line, a.place-b.place) })
		for _, u := range all {
			got = append(got, asHeard(u))
		}
		return got, r.sieve.tells, err
	}
	return got, tells, err
}

// What an escape is spelt with is not what it says: a tool's value that holds the needle only so is none.
func TestSpellingsAreNotHeard(t *testing.T) {
	for _, test := range []struct {
		pattern, spelt string
		want           int
	}{
		{"ord", `a\nord`, 1}, {"nord", `a\nord`, 0},
		{"u001b", `\u001b[0m`, 0}, {"001b", `\u001b[0m`, 0}, {"1b[0m", `\u001b[0m`, 0}, {"b[0m", `\u001b[0m`, 0}, {"[0m", `\u001b[0m`, 1},
		{"lamp", `\u003csystem-reminder\u003ea lamp\u003c/system-reminder\u003e`, 0},
		{"lamp", `<system\u002dreminder>a lamp</system\u002dreminder>`, 0},
		{"lamp", `\u001b[0ma lamp`, 1},
	} {
		line := strings.Replace(talk(1).user([]any{result("t1", "SPELT")}).text(), "SPELT", test.spelt, 1)
		p, err := compile(Query{Pattern: test.pattern, Speakers: []Speaker{Tool}})
		if err != nil || !p.isNeedle() {
			t.Fatalf("%s: %v", test.pattern, err)
		}
		got, _, err := sift(line, p, []Speaker{Tool}, 1<<16, 0, func(u *utterance) bool { return u.holds || p.matches(u.Text) })
		if err != nil || len(got) != test.want {
			t.Errorf("%s in %s: %q, %v; want %d", test.pattern, test.spelt, got, err, test.want)
		}
	}
}

// A joined message that was found by one of its parts is whole, wherever the others lie.
func TestSieveHearsMessagesWhole(t *testing.T) {
	f := talk(1).user("go").
		says("m1", words("the first part")).
		says("m1", use("t1", "Bash", fields{"command": strings.Repeat("x", 200)})).
		user([]any{result("t1", "done")}).
		says("m1", words("the lamp")).
		says("m1", words("the last part")).
		says("m2", words("another message"))
	for _, pattern := range []string{"first", "lamp", "last"} {
		p, err := compile(Query{Pattern: pattern})
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{16, 300, 1 << 16} {
			got, _, err := sift(f.text(), p, []Speaker{Assistant}, block, 0, func(u *utterance) bool { return p.matches(u.Text) })
			if err != nil || len(got) != 1 || !strings.Contains(got[0], ":2 the first part\n\nthe lamp\n\nthe last part ") {
				t.Errorf("%s in blocks of %d: %q, %v", pattern, block, got, err)
			}
		}
	}
}

// A line costs the sieve a look, however often it holds what only tells something beside something else:
// a tool's answer of many blocks, or of whoever wants a search to hang.
func TestSieveLooksAtALineOnce(t *testing.T) {
	line := []byte(strings.Repeat(`"text",`, 1<<20) + "\n")
	if at := mayJoin(line); at >= 0 { // at once, or in hours
		t.Errorf("found at %d", at)
	}
	model := `"assistant" "text"`
	if at := mayJoin(append(line, model...)); at != len(line)+strings.Index(model, `"text"`) {
		t.Errorf("found at %d behind it", at)
	}
}

// Nor does what must stand beside a needle cost more where the needle stands everywhere.
func TestCompanyIsLookedForOnce(t *testing.T) {
	p, err := compile(Query{Pattern: "lamp.{0,9}door", Regex: true, Speakers: []Speaker{Tool}})
	if err != nil {
		t.Fatal(err)
	}
	n := p.needles[0]
	for _, one := range []string{`"NEEDLE",`, `NEEDLE `, `\\\\NEEDLE`, `\\\n`} {
		one = strings.Replace(one, "NEEDLE", string(n.text), 1)
		line := []byte(strings.Repeat(one, 1<<20) + string(n.text) + "\n") // at once, or in hours
		for _, tools := range []bool{false, true} {
			if at := n.inCompany(n.plain(), tools)(line); at >= 0 {
				t.Errorf("%s: found at %d", one, at)
			}
		}
	}
}

// Nor do keys, of which a program's answer may have a million: to look at the line for each would take an hour.
func TestKeysCostALineOneLook(t *testing.T) {
	n := newNeedle([]byte("error"), false)
	line := []byte(strings.Repeat(`"error":1,`, 1<<20) + "\n")
	use := append(line, `"tool_use" "error":`...)
	for _, tools := range []bool{false, true} {
		if at := n.inValues(n.plain(), tools)(line); at >= 0 {
			t.Errorf("tools %v: found at %d", tools, at)
		}
		if at := n.inValues(n.plain(), tools)(use); tools != (at == len(use)-len(`error":`)) {
			t.Errorf("tools %v: found at %d in a use behind it", tools, at)
		}
	}
}

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
			line, ended, err := l.read(nil)
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

// FuzzNeedle: kernels find what is there, where it is, and nothing else.
func FuzzNeedle(f *testing.F) {
	f.Add("error", "an Error, an error", true)
	f.Add("zq", "zzq", false)
	f.Add("日本", "日日本本", false)
	f.Add("task", "ta\u212a tasK tas\u212a taſk", true)
	f.Add("--", "0123456--", false)
	f.Fuzz(func(t *testing.T, needle, text string, fold bool) {
		lower := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, needle)
		if len(needle) < minNeedle || fold && lower != needle {
			t.Skip()
		}
		n := newNeedle([]byte(needle), fold)
		places := map[int]bool{}
		for i := 0; i+len(needle) <= len(text); i++ {
			if n.at([]byte(text[i:])) {
				places[i] = true
			}
		}
		if n.alien {
			for i := range text {
				if strings.HasPrefix(text[i:], "ſ") || strings.HasPrefix(text[i:], "\u212a") {
					places[i] = true
				}
			}
		}
		for _, k := range n.kernels() {
			for from := 0; from <= len(text); {
				i := k([]byte(text[from:]))
				if i < 0 {
					break
				}
				delete(places, from+i)
				if at := text[from+i:]; !n.at([]byte(at+strings.Repeat("\x00", len(needle)))) && !(n.alien && (strings.HasPrefix(at, "ſ") || strings.HasPrefix(at, "\u212a"))) {
					t.Fatalf("%q is found in %q at %d", needle, text, from+i)
				}
				from += i + 1
			}
		}
		if len(places) > 0 {
			t.Fatalf("%q stands in %q at %v too", needle, text, places)
		}
		if !fold && strings.Contains(text, needle) != anyIn([]byte(text), n.kernels()...) {
			t.Fatalf("%q in %q", needle, text)
		}
	})
}

// FuzzEscape: what is spelt as \u is found as a reader meets it who goes from escape to escape, and nothing that only
// looks like it.
func FuzzEscape(f *testing.F) {
	f.Add(`lamp \u006camp`)
	f.Add(`C:\\users\\u006c, \\\u006c`)
	f.Add(`\u001b[0m \u00e9 \ud83d\ude80`)
	f.Add(`\utils \u00g0 \u12`)
	f.Fuzz(func(t *testing.T, spelt string) {
		any, ascii := -1, -1
		for i := 0; i+1 < len(spelt); i++ {
			if spelt[i] != '\\' {
				continue
			}
			if r, err := strconv.ParseUint(spelt[i+2:min(i+6, len(spelt))], 16, 16); err == nil && i+6 <= len(spelt) && spelt[i+1] == 'u' && r >= ' ' {
				if any < 0 {
					any = i
				}
				if ascii < 0 && r <= unicode.MaxASCII {
					ascii = i
				}
			}
			i++
		}
		if got := escaped([]byte(spelt)); got != any {
			t.Errorf("%q: an escape at %d, want %d", spelt, got, any)
		}
		if got := escapedASCII([]byte(spelt)); got != ascii {
			t.Errorf("%q: an escape of ASCII at %d, want %d", spelt, got, ascii)
		}
	})
}

// A needle is found at each place behind many of its rarest byte, where another kernel looks for a while.
func TestNeedleBehindItsRarestByte(t *testing.T) {
	n := exactly("zebra")
	dense := strings.Repeat("z", 100)
	for _, k := range n.kernels() {
		for at := 0; at < 9<<10; at++ {
			if at == 200 {
				at = 4000 // the stretch ends some 4 KB behind the bytes that stand near each other
			} else if at == 4300 {
				at = 8100
			}
			text := dense + strings.Repeat(" ", at) + "zebra" + dense
			if got := k([]byte(text)); got != len(dense)+at {
				t.Fatalf("found at %d, want %d", got, len(dense)+at)
			}
		}
	}
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
			if err != nil || p.regexp == nil {
				continue
			}
			if got, want := p.matches(text), p.regexp.MatchString(text); got != want {
				t.Fatalf("%q in %q: %v, want %v", expression, text, got, want)
			}
		}
	})
}

// TestExpressionsAreHeard: what the spelling of a text tells of an expression is what the text does.
func TestExpressionsAreHeard(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	pieces := []string{"lamp", "lam", "p", "nlamp", "amp", "LAMP", " ", "x", "door", "é", "K", `\n`, `\n`, `\\`, `\\n`, `\"`, `\t`, `\u001b[0m`, `\u000a`, `\u006c`, `\q`}
	patterns := []string{"lamp.{0,4}door", "door.*lamp", "^lamp", "lamp$", `^[^\w\n]*lamp[^\w\n]*$`, `\blamp\b.?x`, "(?:lamp|door)x", `\\lamp`, `lamp[^x\n]door`, "nlamp.?x", "(?i)lamp K"}
	told := [3]int{}
	for range 30_000 {
		p, err := compile(Query{Pattern: patterns[rng.IntN(len(patterns))], Regex: true, Speakers: []Speaker{Tool}})
		if err != nil || !p.inLine || len(p.needles) == 0 {
			t.Fatalf("%v, or not in a line: %v", err, p)
		}
		spelt := ""
		for range rng.IntN(12) {
			spelt += pieces[rng.IntN(len(pieces))]
		}
		heard := p.hears([]byte(spelt))
		told[heard]++
		if text := unquote([]byte(spelt)); heard != maybe && (heard == surely) != p.regexp.MatchString(text) {
			t.Fatalf("%s in %s: %v", p.regexp, spelt, heard)
		}
	}
	if told[nothing] < 1000 || told[surely] < 1000 {
		t.Errorf("only so many told: %v", told)
	}
}
