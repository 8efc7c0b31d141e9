package transcript

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A session of which some record is of no time that a session had is searched as if it were the newest: what
// else it holds may be.
func TestTimesBeyondNumbersHideNothing(t *testing.T) {
	var all []*fixture
	for n := range 6 {
		f := talk(n + 1)
		f.userWith("a lamp", fields{"timestamp": start.AddDate(0, 0, n)})
		if n == 5 {
			f.userWith("a door", fields{"timestamp": start.AddDate(300, 0, 0)})
		}
		all = append(all, f)
	}
	s := store(t, all...)
	s.options.Digests = filepath.Join(t.TempDir(), "d")
	if _, err := s.Digest(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Counting = 0
	for range 3 { // which thread is the first to end is not said
		if r := search(t, s, Query{Pattern: "lamp", Limit: 1}); len(r.Hits) != 1 || r.Hits[0].Session != id(6) {
			t.Fatalf("%+v", r)
		}
	}

	far := start.AddDate(300, 0, 0)
	scan := newScan(s, Query{Limit: 1}, nil, nil, []judged{
		{file: file{path: "old", modTime: start}}, {file: file{path: "far", modTime: far}},
		{file: file{path: "older", modTime: time.Unix(0, 0)}},
	}, Skipped{})
	if order, latest := scan.order(); order[0] != 1 || order[1] != 0 || latest[0] <= latest[1] {
		t.Errorf("order %v, %v", order, latest)
	}
}

// A tool that answered nothing has said nothing, not even to an expression that nothing matches.
func TestEmptyAnswersAreNoMatches(t *testing.T) {
	s := store(t, talk(1).user("begin").user([]any{result("t1", ""), result("t2", "x")}))
	for pattern, want := range map[string]int{"y*": 1, "^$": 0, "x|$": 1} {
		r := search(t, s, Query{Pattern: pattern, Regex: true, Speakers: []Speaker{Tool}, Limit: 1})
		if r.Matches != want || len(r.Hits) != want || r.Next != "" {
			t.Errorf("%s: %d matches, %d hits, next %q, want %d", pattern, r.Matches, len(r.Hits), r.Next, want)
		}
	}
}

// A session that may hold something of the very time at which the page ends can change it.
func TestTiesAreNotCertain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // or both sessions are searched in any case
	s := store(t, talk(1).user("a lamp"), talk(2).user("a lamp"))
	s.options.Digests = filepath.Join(t.TempDir(), "d")
	if _, err := s.Digest(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Counting = 0
	if r := search(t, s, Query{Pattern: "lamp", Limit: 1}); len(r.Hits) != 1 || r.Hits[0].Session != id(1) || r.Matches != 2 {
		t.Errorf("%+v", r)
	}
}

// The first pass over a transcript finds what an escape hides, and takes no line for broken that only has something
// around its record.
func TestFirstPassOverOddSpellings(t *testing.T) {
	f := talk(1).user("begin").user("a lamp").user("one").user("two").user("three")
	f.lines[0] = "\xef\xbb\xbf" + f.lines[0]
	f.lines[1] = strings.Replace(f.lines[1], "lamp", `\u006camp`, 1)
	f.lines[2] += "\r"
	f.lines[3] = "\x00\x00" + f.lines[3]
	s := store(t, f)
	for _, text := range []string{"lamp", "nothing", "lamp"} {
		r := search(t, s, Query{Pattern: text})
		if want := strings.Count("lamp", text); r.Matches != want || r.Skipped[BadLine] != 0 {
			t.Errorf("%s: %d matches, want %d, skipped %v", text, r.Matches, want, r.Skipped)
		}
	}
}

// A message of the model that begins on the first line is found whole, whatever stands before its record.
func TestMessageAtTheHeadIsWhole(t *testing.T) {
	for _, before := range []string{"", "\xef\xbb\xbf", "\x00"} {
		f := talk(1).says("m1", words("the first part")).says("m1", words("a lamp"))
		f.lines[0] = before + f.lines[0]
		s := store(t, f)
		r := search(t, s, Query{Pattern: "lamp", Speakers: []Speaker{Assistant}})
		if len(r.Hits) != 1 || r.Hits[0].Line != 1 || !strings.Contains(r.Hits[0].Before, "the first part") {
			t.Errorf("behind %q: %+v", before, r.Hits)
		}
	}
}

// The last line is searched too, though no newline ends it.
func TestLastLineIsSearched(t *testing.T) {
	projects := t.TempDir()
	text := talk(1).user("begin").user([]any{result("t1", "a lamp")}).text()
	text = strings.TrimSuffix(strings.Replace(text, "lamp", `\u006camp`, 1), "\n")
	put(t, projects, slug+"/"+id(1)+".jsonl", text, 1)
	s := Open(Options{Projects: projects, Roots: []string{root}})
	t.Cleanup(s.Close)
	for _, text := range []string{"nothing", "日本", "lamp"} {
		r := search(t, s, Query{Pattern: text, Speakers: []Speaker{Tool}})
		if want := strings.Count("lamp", text); r.Matches != want {
			t.Errorf("%s: %d matches, want %d", text, r.Matches, want)
		}
	}
}

// What was appended since the listing is searched too.
func TestGrowthBehindTheListing(t *testing.T) {
	f := talk(1).user("begin").says("m1", use("t1", "Bash", fields{"command": "ls"}))
	s := withDigests(t, store(t, f))
	if _, err := s.Digest(t.Context()); err != nil {
		t.Fatal(err)
	}
	sessions, _, err := s.accepted(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	f.says("m2", use("t2", "x__read_memory", nil)).user([]any{result("t2", "a lamp, remembered")}).user([]any{result("t1", "a lamp")})
	overwrite(t, sessions[0].path, f.text())
	q := Query{Pattern: "lamp", Speakers: []Speaker{Tool}, Limit: 9}
	p, err := compile(q)
	if err != nil {
		t.Fatal(err)
	}
	scan := newScan(s, q, []*pattern{p}, nil, sessions, Skipped{})
	if scan.run(t.Context()); scan.amount != 1 {
		t.Errorf("%d matches, want one", scan.amount)
	}
}

// Two records on a line are found however they are encoded.
func TestOddLinesAreSpeltPlainly(t *testing.T) {
	f := talk(1).user("begin").says("m1", use("t1", "a<b\u2028c", fields{"command": "x"}))
	f.lines[1] = strings.Replace(f.lines[1], `\u2028`, "\u2028", 1) + f.lines[0]
	s := store(t, f)
	for _, text := range []string{"nothing", "日本", "a<b", "\u2028c"} {
		r := search(t, s, Query{Pattern: text, Speakers: []Speaker{Tool}})
		if want := strings.Count("a<b\u2028c", text); r.Matches != want {
			t.Errorf("%q: %d matches, want %d", text, r.Matches, want)
		}
	}
}

// What is quoted says what it said.
func TestQuoted(t *testing.T) {
	for _, text := range []string{"", "plain", "\"quoted\" \\n", "one\ntwo\ttab\r\x00\x1f\x7f", "<é & 日本\u2028\U0001f4a1>"} {
		var decoded string
		if v := quoted(text); v.text() != text || text != "" && (json.Unmarshal(v, &decoded) != nil || decoded != text) {
			t.Errorf("%q: %s", text, v)
		}
	}
}
