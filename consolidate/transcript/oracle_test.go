package transcript

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzRecord: whatever a line holds, reading it does not panic, and what is said is valid UTF-8 with
// an id that a search could give.
func FuzzRecord(f *testing.F) {
	seeds := talk(1).user("x").reply("y").enqueue("z").says("m", use("t", "Bash", fields{"a": []any{fields{"b": "c"}}})).
		user([]any{result("t", []any{words("x")})}).add("system", fields{"subtype": "away_summary", "content": "x"})
	for _, line := range seeds.lines {
		f.Add([]byte(line))
		f.Add([]byte(line + line))
	}
	f.Add([]byte(`{"type":"user","message":{"content":["\ud800",[],{},null,{"type":"tool_result","content":{"text":"x"}}]}}`))
	f.Add([]byte("\xef\xbb\xbf{}\r\n\x00\n[[[[\n\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := newReader(file{id: id(1)}, newLineReader(strings.NewReader(string(text)), readBlock), func(u *utterance) error {
			if u.Text == "" || !utf8.ValidString(u.Text) {
				t.Errorf("text %q", u.Text)
			}
			if cutID(u.id()) == nil || u.Line < 1 || u.offset >= int64(len(text)) {
				t.Errorf("id %q, line %d at %d of %d bytes", u.id(), u.Line, u.offset, len(text))
			}
			return nil
		})
		r.tools = everyLine
		if err := r.run(); err != nil {
			t.Error(err)
		}
	})
}

func everyLine([]byte) bool { return true }

// vocabulary is what transcripts of FuzzSearch are made of: words that share letters, fold to each
// other, must be escaped, or end what is said.
var vocabulary = []string{
	"lamp", "Lamp", "LAMP", "lam", "p", " ", " ", "\n", "k", "\u212a", "ſ", "s", "é", "É", "日本", `"`, `\`, "/", "<", "&",
	"Bash", "=", ": ", "command", ".", "\t", "\x00", "\U0001f4a1", "u006c", `\u00e9`, "<system-reminder>lamp</system-reminder>",
}

func randomText(rng *rand.Rand) string {
	var text strings.Builder
	for range 1 + rng.IntN(6) {
		text.WriteString(vocabulary[rng.IntN(len(vocabulary))])
	}
	return text.String()
}

// randomTalk writes a transcript with everything that makes one line depend on another.
func randomTalk(rng *rand.Rand, n int, older []string) *fixture {
	f := talk(n)
	f.user("begin")
	for range rng.IntN(30) {
		text := randomText(rng)
		var last string
		if len(f.lines) > 0 {
			last = f.lines[len(f.lines)-1]
		}
		switch rng.IntN(14) {
		case 0, 1:
			f.user(text)
		case 2:
			f.says(fmt.Sprint("m", rng.IntN(3)), words(text))
		case 3:
			f.says(fmt.Sprint("m", rng.IntN(3)), words(text), use("t1", "Bash", fields{"command": text, "x": randomText(rng)}))
		case 4:
			f.says("m9", use("own", "x__grep_transcripts", fields{"pattern": text}))
		case 5:
			f.user([]any{result("own", text), result("t1", text)})
		case 6:
			f.enqueue(text).attach(fields{"type": "queued_command", "prompt": text}).user(text)
		case 7:
			f.user(DreamMarker + ">" + text)
		case 8:
			f.userWith(text, fields{"timestamp": nil})
		case 9:
			f.userWith(text, fields{"isMeta": true, "timestamp": nil})
		case 10:
			f.raw(last + last)
		case 11:
			f.raw(last[:len(last)/2])
		case 12:
			f.raw(strings.ReplaceAll(strings.ReplaceAll(last, "l", `\u006c`), "<", `\u003c`))
		case 13:
			if len(older) > 0 {
				f.raw(older[rng.IntN(len(older))])
			}
		}
	}
	return f
}

// FuzzSearch: a search finds what a plain reading of every line finds, in the same order, with the
// same ids, page by page; and each id leads back to the words.
func FuzzSearch(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, "lamp", false)
	}
	for seed, pattern := range []string{"k", "É", "日本", "(?:lamp|bash)s?", "p$", `\bk`, "command=", "Bash: command", `"`, `.`, "ss", "s", `a\.?m`, "lamp.*é", "u006c", "(é|lam)p", "[kK]"} {
		f.Add(uint64(seed+100), pattern, true)
		f.Add(uint64(seed+200), pattern, false)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, expression bool) {
		rng := rand.New(rand.NewPCG(seed, 1))
		first := randomTalk(rng, 1, nil)
		second := randomTalk(rng, 2, first.lines)
		s := store(t, first, second)
		q := Query{Pattern: text, Regex: expression, Limit: 1 + rng.IntN(20)}
		if rng.IntN(2) == 0 {
			q.Speakers = []Speaker{User, Assistant, Tool}[rng.IntN(3):]
		}
		full := q
		if full.complete() != nil {
			t.Skip()
		}
		if _, err := compile(full); err != nil {
			t.Skip()
		}
		want := namesOf(oracle(t, s, full))
		var got []string
		for {
			r := search(t, s, q)
			if r.Matches != len(want) || r.AtLeast {
				t.Fatalf("%d matches, want %d\n%s\n%s", r.Matches, len(want), first.text(), second.text())
			}
			for _, h := range r.Hits {
				got = append(got, fmt.Sprint(h.ID, " ", h.Time, " ", h.Speaker))
				if u, err := s.Lookup(t.Context(), h.ID); err != nil || fmt.Sprint(u.ID, " ", u.Time, " ", u.Speaker) != got[len(got)-1] {
					t.Errorf("Lookup(%q) = %+v, %v", h.ID, u, err)
				}
			}
			if q.Cursor = r.Next; r.Next == "" {
				break
			}
		}
		equal(t, "hits", got, want)
	})
}

// oracle decodes every line of every session and matches with nothing but regexp.
func oracle(t *testing.T, s *Store, q Query) []*utterance {
	t.Helper()
	expression := q.Pattern
	if !q.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	flags := "(?m)"
	if !hasUpper(q.Pattern, q.Regex) {
		flags = "(?mi)"
	}
	re := regexp.MustCompile(flags + expression)
	kept, _, err := s.accepted(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*utterance
	copied := map[string]bool{}
	for _, session := range slices.Backward(kept) { // the oldest first
		var found []*utterance
		source, err := openFile(session.path)
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(session.file, newLineReader(source, 64), func(u *utterance) error {
			found = append(found, u)
			return nil
		})
		r.last, r.tools = session.modTime.UTC(), everyLine
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		source.Close()
		slices.SortStableFunc(found, func(a, b *utterance) int { return a.Line - b.Line })
		for _, u := range found {
			key := fmt.Sprint(u.UUID, u.Speaker, u.slot)
			if !slices.Contains(q.Speakers, u.Speaker) || !re.MatchString(u.Text) || u.UUID != "" && copied[key] {
				continue
			}
			copied[key] = true
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *utterance) int { return a.position().compare(b.position()) })
	return all
}

func namesOf(all []*utterance) (names []string) {
	for _, u := range all {
		names = append(names, fmt.Sprint(u.id(), " ", u.Time, " ", u.Speaker))
	}
	return names
}

// position is the position of an utterance.
func (u *utterance) position() position {
	return position{Time: nanoseconds(u.Time), Session: shortID(u.Session), Line: u.Line, Place: u.place}
}
