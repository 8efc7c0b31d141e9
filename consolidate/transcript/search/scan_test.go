package search

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// A tool that answered nothing has said nothing, not even to an expression that nothing matches.
func TestEmptyAnswersDoNotMatch(t *testing.T) {
	s := store(t, fixture.Talk(1).User("begin").User([]any{fixture.Result("t1", ""), fixture.Result("t2", "x")}))
	for pattern, want := range map[string]int{"y*": 1, "^$": 0, "x|$": 1} {
		r := search(t, s, Query{Pattern: pattern, Regex: true, Speakers: []said.Speaker{said.Tool}, Limit: 1})
		if r.Matches != want || len(r.Hits) != want || r.Next != "" {
			t.Errorf("%s: %d matches, %d hits, next %q, want %d", pattern, r.Matches, len(r.Hits), r.Next, want)
		}
	}
}

// The first pass over a transcript finds what an escape hides, and takes no line for broken that only has something
// around its record.
func TestFirstPassOverOddSpellings(t *testing.T) {
	f := fixture.Talk(1).User("begin").User("a lamp").User("one").User("two").User("three")
	f.Lines[0] = "\xef\xbb\xbf" + f.Lines[0]
	f.Lines[1] = strings.Replace(f.Lines[1], "lamp", `\u006camp`, 1)
	f.Lines[2] += "\r"
	f.Lines[3] = "\x00\x00" + f.Lines[3]
	s := store(t, f)
	for _, text := range []string{"lamp", "nothing", "lamp"} {
		r := search(t, s, Query{Pattern: text})
		if want := strings.Count("lamp", text); r.Matches != want || r.Skipped[said.BadLine] != 0 {
			t.Errorf("%s: %d matches, want %d, skipped %v", text, r.Matches, want, r.Skipped)
		}
	}
}

// A message of the model that begins on the first line is found whole, whatever comes before its record.
func TestMessageAtTheHeadIsWhole(t *testing.T) {
	for _, before := range []string{"", "\xef\xbb\xbf", "\x00"} {
		f := fixture.Talk(1).Says("m1", fixture.Words("the first part")).Says("m1", fixture.Words("a lamp"))
		f.Lines[0] = before + f.Lines[0]
		s := store(t, f)
		r := search(t, s, Query{Pattern: "lamp", Speakers: []said.Speaker{said.Assistant}})
		if len(r.Hits) != 1 || r.Hits[0].Line != 1 || !strings.Contains(r.Hits[0].Before, "the first part") {
			t.Errorf("behind %q: %+v", before, r.Hits)
		}
	}
}

// The last line is searched too, though no newline ends it.
func TestLastLineIsSearched(t *testing.T) {
	projects := t.TempDir()
	text := fixture.Talk(1).User("begin").User([]any{fixture.Result("t1", "a lamp")}).Text()
	text = strings.TrimSuffix(strings.Replace(text, "lamp", `\u006camp`, 1), "\n")
	fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", text, 1)
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	t.Cleanup(s.Close)
	for _, text := range []string{"nothing", "日本", "lamp"} {
		r := search(t, s, Query{Pattern: text, Speakers: []said.Speaker{said.Tool}})
		if want := strings.Count("lamp", text); r.Matches != want {
			t.Errorf("%s: %d matches, want %d", text, r.Matches, want)
		}
	}
}

// What was appended since the listing is searched too.
func TestGrowthAfterTheListing(t *testing.T) {
	f := fixture.Talk(1).User("begin").Says("m1", fixture.Use("t1", "Bash", fixture.Fields{"command": "ls"}))
	s := withCache(t, store(t, f))
	if _, err := s.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	sessions, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	f.Says("m2", fixture.Use("t2", "x__read_memory", nil)).User([]any{fixture.Result("t2", "a lamp, remembered")}).User([]any{fixture.Result("t1", "a lamp")})
	fixture.Overwrite(t, sessions[0].Path, f.Text())
	q := Query{Pattern: "lamp", Speakers: []said.Speaker{said.Tool}, Limit: 9}
	p, err := compile(q, q.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	scan := newScan(&walk{store: s, query: q, sessions: sessions, skipped: said.Skipped{}}, []*pattern{p}, nil)
	if err := scan.run(t.Context()); err != nil || len(scan.distinct()) != 1 {
		t.Errorf("%d matches, want one; %v", len(scan.distinct()), err)
	}
}

// Two records on a line are found however they are encoded.
func TestOddLinesAreEscapedPlainly(t *testing.T) {
	f := fixture.Talk(1).User("begin").Says("m1", fixture.Use("t1", "a<b\u2028c", fixture.Fields{"command": "x"}))
	f.Lines[1] = strings.Replace(f.Lines[1], `\u2028`, "\u2028", 1) + f.Lines[0]
	s := store(t, f)
	for _, text := range []string{"nothing", "日本", "a<b", "\u2028c"} {
		r := search(t, s, Query{Pattern: text, Speakers: []said.Speaker{said.Tool}})
		if want := strings.Count("a<b\u2028c", text); r.Matches != want {
			t.Errorf("%q: %d matches, want %d", text, r.Matches, want)
		}
	}
}
