package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

func TestPatterns(t *testing.T) {
	yes, no := true, false
	texts := []string{
		"The Lamp burns", "a lamp went out", "CAFÉ at noon", "café at dusk", "300 \u212aelvin", "fast laſt test",
		"quote \"here\" and back\\slash / done", "first line\nsecond line", "日本語のランプ", "tab\there", "x <b> & 'y'",
	}
	f := fixture.Talk(1)
	for _, text := range texts {
		f.User(text)
	}
	s := store(t, f)
	tests := []struct {
		q    Query
		want []int // of texts
	}{
		{Query{Pattern: "lamp"}, []int{0, 1}},
		{Query{Pattern: "Lamp"}, []int{0}},
		{Query{Pattern: "lamp", CaseSensitive: &yes}, []int{1}},
		{Query{Pattern: "LAMP", CaseSensitive: &no}, []int{0, 1}},
		{Query{Pattern: "café"}, []int{2, 3}},
		{Query{Pattern: "É"}, []int{2}},
		{Query{Pattern: "300 kelvin"}, []int{4}},
		{Query{Pattern: "last"}, []int{5}},
		{Query{Pattern: `"here"`}, []int{6}},
		{Query{Pattern: `back\slash /`}, []int{6}},
		{Query{Pattern: "line\nsecond"}, []int{7}},
		{Query{Pattern: "日本"}, []int{8}},
		{Query{Pattern: "\t"}, []int{9}},
		{Query{Pattern: "<b> & '"}, []int{10}},
		{Query{Pattern: "lamp.*out", Regex: true}, []int{1}},
		{Query{Pattern: "(burns|went)", Regex: true}, []int{0, 1}},
		{Query{Pattern: "^second", Regex: true}, []int{7}},
		{Query{Pattern: `\Slamp|\D[Dd]one`, Regex: true}, []int{6}},
		{Query{Pattern: `\bthe\b`, Regex: true}, []int{0}}, // \b asks for no case
		{Query{Pattern: `(?:la){1,2}mp`, Regex: true}, []int{0, 1}},
		{Query{Pattern: `[[:upper:]]af`, Regex: true}, []int{2, 3}},
		{Query{Pattern: "lamp.", Regex: false}, nil},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%q", test.q.Pattern), func(t *testing.T) {
			r := search(t, s, test.q)
			var got []int
			for _, h := range r.Hits {
				got = append(got, h.Line-1)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("found %v, want %v", got, test.want)
			}
		})
	}
}

func TestQueryErrors(t *testing.T) {
	s := store(t, fixture.Talk(1).User("x"), fixture.Talk(0x10).User("x"))
	later := fixture.Start.Add(time.Hour)
	tests := []struct {
		q     Query
		field string
	}{
		{Query{}, "pattern"},
		{Query{Pattern: strings.Repeat("x", maxPattern+1)}, "pattern"},
		{Query{Pattern: "\xff"}, "pattern"},
		{Query{Pattern: "(", Regex: true}, "pattern"},
		{Query{Pattern: `(a)\1`, Regex: true}, "pattern"},
		{Query{Pattern: "a)(?i:b", Regex: true}, "pattern"},
		{Query{Pattern: "x", Limit: maxLimit + 1}, "limit"},
		{Query{Pattern: "x", Limit: -1}, "limit"},
		{Query{Pattern: "x", Context: maxContext + 1}, "context"},
		{Query{Pattern: "x", Speakers: []said.Speaker{"thinking"}}, "speakers"},
		{Query{Pattern: "x", Since: later, Until: fixture.Start}, "until"},
		{Query{Pattern: "x", Session: "ffff"}, "session"},
		{Query{Pattern: "x", Session: "000000"}, "session"},
		{Query{Pattern: "x", Cursor: "!"}, "cursor"},
		{Query{Pattern: "x", Cursor: Query{Pattern: "y"}.cursor(position{})}, "cursor"},
	}
	for _, test := range tests {
		_, err := s.Search(t.Context(), test.q)
		var wrong *QueryError
		if !errors.As(err, &wrong) || wrong.Field != test.field {
			t.Errorf("%.80v: %v, want a QueryError on %q", test.q, err, test.field)
		}
	}
}

func TestFiltersOfAQuery(t *testing.T) {
	s := store(t,
		fixture.Talk(1).User("lamp 0").Reply("lamp 1").Says("m",
			fixture.Use("t", "Bash", fixture.Fields{"command": "lamp 2"})).User([]any{fixture.Result("t", "lamp 3")}).User("lamp 4"),
		fixture.Talk(2).User("lamp 0"))
	at := func(seconds int) time.Time { return fixture.Start.Add(time.Duration(seconds) * time.Second) }
	tests := []struct {
		q    Query
		want string
	}{
		{Query{}, "1:5 1:2 1:1 2:1"},
		{Query{Speakers: []said.Speaker{said.Tool}}, "1:4 1:3"},
		{Query{Speakers: []said.Speaker{said.User}}, "1:5 1:1 2:1"},
		{Query{Since: at(1)}, "1:5 1:2"},
		{Query{Until: at(1)}, "1:1 2:1"},
		{Query{Session: fixture.ID(2)}, "2:1"},
		{Query{Session: said.ShortID(fixture.ID(1))}, "1:5 1:2 1:1"},
		{Query{Pattern: "command=lamp", Speakers: []said.Speaker{said.Tool}}, "1:3"},
		{Query{Pattern: "bash: command", Speakers: []said.Speaker{said.Tool}}, "1:3"},
	}
	for _, test := range tests {
		if test.q.Pattern == "" {
			test.q.Pattern = "lamp"
		}
		var got []string
		for _, h := range search(t, s, test.q).Hits {
			got = append(got, fmt.Sprintf("%c:%d", h.Session[7], h.Line))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v, want %s", test.q, got, test.want)
		}
	}
}

// An id is the same whoever is asked for, where two records share a line too.
func TestIDsAreTheSameForEachSpeaker(t *testing.T) {
	f := fixture.Talk(1).User("begin").Reply("I look").Says("m", fixture.Use("t", "Bash", fixture.Fields{"command": "a lamp"}))
	f.Lines = []string{f.Lines[0], f.Lines[1] + f.Lines[2]}
	s := store(t, f)
	for _, speakers := range [][]said.Speaker{{said.Tool}, {said.User, said.Tool}, {said.User, said.Assistant, said.Tool}} {
		r := search(t, s, Query{Pattern: "lamp", Speakers: speakers})
		if len(r.Hits) != 1 || r.Hits[0].ID != said.ShortID(fixture.ID(1))+":2.2" || r.Hits[0].Speaker != said.Tool {
			t.Errorf("%v: %+v", speakers, r.Hits)
		}
	}
}

func TestPages(t *testing.T) {
	first, second := fixture.Talk(1), fixture.Talk(2)
	for i := range 25 {
		first.User(fmt.Sprint("lamp ", i))
		second.User(fmt.Sprint("lamp ", i))
	}
	s := store(t, first, second)
	q := Query{Pattern: "lamp", Limit: 7}
	seen := map[string]bool{}
	last := time.Time{}
	for pages := 1; ; pages++ {
		r := search(t, s, q)
		if r.Matches != 50 || r.Sessions != 2 || r.Bytes == 0 {
			t.Fatalf("page %d: %d matches of %d sessions, %d bytes", pages, r.Matches, r.Sessions, r.Bytes)
		}
		for _, h := range r.Hits {
			if seen[h.ID] {
				t.Errorf("%s is on two pages", h.ID)
			}
			if seen[h.ID] = true; !last.IsZero() && h.Time.After(last) {
				t.Errorf("%s is newer than the hit before", h.ID)
			}
			last = h.Time
		}
		if q.Cursor = r.Next; r.Next == "" {
			if pages != 8 {
				t.Errorf("%d pages, want 8", pages)
			}
			break
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d hits on all pages, want 50", len(seen))
	}
}

func TestCancelled(t *testing.T) {
	s := store(t, fixture.Talk(1).User("an old lamp"), fixture.Talk(2).User("a young lamp"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Search(ended, Query{Pattern: "lamp"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := s.Lookup(ended, said.ShortID(fixture.ID(1))+":1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestLookup(t *testing.T) {
	f := fixture.Talk(1).User("one").User("\x1b[1mtwo\x1b[0m").
		Says("m", fixture.Use("a", "Bash", fixture.Fields{"command": "three"}), fixture.Use("b", "Bash", fixture.Fields{"command": "four"})).
		UserWith("five", fixture.Fields{"timestamp": nil})
	s := store(t, f)
	short := said.ShortID(fixture.ID(1))
	for name, want := range map[string]string{
		short + ":1": "one", short + ":2": "\x1b[1mtwo\x1b[0m", short + ":3": "Bash: command=three",
		short + ":3.2": "Bash: command=four", fixture.ID(1) + ":1": "one", short + ":4": "five",
	} {
		u, err := s.Lookup(t.Context(), name)
		if err != nil || u.Text != want || u.ID != strings.Replace(name, fixture.ID(1), short, 1) {
			t.Errorf("Lookup(%q) = %q, %v; want %q", name, u.Text, err, want)
		}
		if u.Line == 4 && !u.Time.Equal(fixture.Start.Add(2*time.Second)) {
			t.Errorf("Lookup(%q): inherited time %v", name, u.Time)
		}
	}
	for _, name := range []string{"", "x", short, short + ":", short + ":0", short + ":99", short + ":3.3", short + ":1.1",
		"ffffffff-000:1", short + ":99999999999999999999", "../../x:1", ":1", "a:b:c"} {
		if u, err := s.Lookup(t.Context(), name); !errors.Is(err, sessions.ErrNotFound) {
			t.Errorf("Lookup(%q) = %+v, %v; want ErrNotFound", name, u, err)
		}
	}
}

// The words of a person that come again are looked up as such, whatever was said the same way before.
func TestLookupOfWordsThatWereQueuedBefore(t *testing.T) {
	escaped := func(line string) string { return strings.Replace(line, "lamp", `\u006camp`, 1) }
	f := fixture.Talk(1).Enqueue("a lamp").User("a lamp").User("a lamp")
	f.Lines[0] = escaped(f.Lines[0]) // so it is decoded on the way, and the turn that repeats it is not
	s := store(t, f)
	r := search(t, s, Query{Pattern: "lamp"})
	if len(r.Hits) != 2 {
		t.Fatalf("hits %q", hits(r))
	}
	for _, h := range r.Hits {
		if u, err := s.Lookup(t.Context(), h.ID); err != nil || u.Line != h.Line {
			t.Errorf("Lookup(%q) = %+v, %v", h.ID, u, err)
		}
	}
}

// A file system may date a file a little before what it holds.
func TestSinceForgivesCoarseTimes(t *testing.T) {
	s := store(t, fixture.Talk(1).UserWith("lamp", fixture.Fields{"timestamp": fixture.Start.Add(time.Hour + time.Second).Format(time.RFC3339)}))
	if r := search(t, s, Query{Pattern: "lamp", Since: fixture.Start.Add(time.Hour + time.Second)}); r.Matches != 1 {
		t.Errorf("%+v", r)
	}
}

func TestLookupSaysWhatIsAmbiguous(t *testing.T) {
	projects, named := t.TempDir(), t.TempDir()
	twin := strings.TrimSuffix(fixture.ID(1), "1") + "2" // the same first twelve characters
	fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", fixture.Talk(1).User("one").Text(), 1)
	fixture.Put(t, projects, fixture.Slug+"/"+twin+".jsonl", fixture.Talk(6).User("two").Text(), 2)
	fixture.Put(t, named, "session-notes-1.jsonl", fixture.Talk(3).User("three").Text(), 3)
	fixture.Put(t, named, "session-notes-2.jsonl", fixture.Talk(4).User("four").Text(), 4)
	fixture.Put(t, named, "a name: with signs.jsonl", fixture.Talk(5).User("five").Text(), 5)
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}, Folders: []string{named, named + "/none"}})
	if _, err := s.Lookup(t.Context(), said.ShortID(fixture.ID(1))+":1"); !errors.Is(err, sessions.ErrAmbiguous) {
		t.Errorf("Lookup: %v, want ErrAmbiguous", err)
	}
	r := search(t, s, Query{Pattern: "[a-z]", Regex: true})
	if r.Matches != 5 {
		t.Fatalf("matches %d", r.Matches)
	}
	ids := map[string]string{}
	for _, h := range r.Hits {
		ids[h.Match+h.After] = h.ID
	}
	for _, text := range []string{"three", "four", "five"} {
		if u, err := s.Lookup(t.Context(), ids[text]); err != nil || u.Text != text {
			t.Errorf("Lookup(%q) = %q, %v; want %q", ids[text], u.Text, err, text)
		}
	}
	if u, err := s.Lookup(t.Context(), twin+":1"); err != nil || u.Text != "two" {
		t.Errorf("the whole name: %q, %v", u.Text, err)
	}
	folders, err := s.Folders()
	if err != nil || len(folders) != 3 || folders[1].Problem == "" || folders[0].Problem != "" {
		t.Errorf("Folders() = %+v, %v", folders, err)
	}
}

func TestCopiesOfASession(t *testing.T) {
	projects := t.TempDir()
	fixture.Put(t, projects, fixture.Slug+"/"+fixture.ID(1)+".jsonl", fixture.Talk(1).User("lamp").User("lamp").Text(), 2)
	fixture.Put(t, projects, fixture.Slug+"-docs/"+fixture.ID(1)+".jsonl", fixture.Talk(1).User("lamp").Text(), 1)
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || sessions[0].Size == 0 || skipped[said.Copied] != 1 {
		t.Errorf("sessions %+v, %v, %v", sessions, skipped, err)
	}
	if n, _ := s.Count(t.Context(), time.Time{}, 0); n != 1 {
		t.Errorf("Count = %d, want 1", n)
	}
}

func TestCountSince(t *testing.T) {
	var all []*fixture.Transcript
	for n := range 100 {
		all = append(all, fixture.Talk(n+1).User("x"))
	}
	s := store(t, all...)
	for _, test := range []struct{ hours, enough, want int }{{0, 0, 100}, {90, 5, 10}, {0, 5, 64}, {100, 0, 0}} {
		n, err := s.Count(t.Context(), fixture.Start.Add(time.Duration(test.hours)*time.Hour), test.enough)
		if n != test.want || err != nil {
			t.Errorf("Count(%d h, %d) = %d, %v; want %d", test.hours, test.enough, n, err, test.want)
		}
	}
}

func TestMore(t *testing.T) {
	s := store(t, fixture.Talk(1).User("lamp, lamp and Lamp"))
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 1 || r.Hits[0].More != 2 || r.Hits[0].Match != "lamp" {
		t.Errorf("%+v", r)
	}
}

// A transcript may grow, by halves of lines, while it is searched: nothing whole is ever missed, and
// nothing is found twice.
func TestSearchWhileItGrows(t *testing.T) {
	const lines = 300
	s := store(t, fixture.Talk(1).User("lamp 0"))
	files, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	out, err := os.OpenFile(files[0].Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var mu sync.Mutex
	written := 1
	var writer sync.WaitGroup
	writer.Go(func() {
		f := fixture.Talk(1).User("lamp 0")
		for i := 1; i < lines; i++ {
			f.User(fmt.Sprint("lamp ", i, strings.Repeat(" light", i%97)))
			line := f.Lines[i] + "\n"
			for _, half := range []string{line[:len(line)/2], line[len(line)/2:]} {
				if _, err := out.WriteString(half); err != nil {
					t.Error(err)
				}
			}
			mu.Lock()
			written = i + 1
			mu.Unlock()
		}
	})
	for done := false; !done; {
		mu.Lock()
		before := written
		mu.Unlock()
		done = before == lines
		r := search(t, s, Query{Pattern: "lamp", Limit: 200})
		if r.Matches < before || r.Matches > lines || r.Skipped[said.BadLine] != 0 {
			t.Fatalf("%d matches, %d lines were written, skipped %v", r.Matches, before, r.Skipped)
		}
		for _, h := range r.Hits[:min(3, len(r.Hits))] {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || !strings.HasPrefix(u.Text, fmt.Sprint("lamp ", h.Line-1)) {
				t.Fatalf("Lookup(%q) = %q, %v", h.ID, u.Text, err)
			}
		}
	}
	writer.Wait()
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("abcdefghi ", 50)
	tests := []struct {
		name, text, match    string
		context              int
		before, found, after string
	}{
		{"whole", "a lamp here", "lamp", 20, "a ", "lamp", " here"},
		{"cut at words", long + "lamp " + long, "lamp", 24, "…abcdefghi abcdefghi ", "lamp", " abcdefghi abcdefghi…"},
		{"cut in a word", strings.Repeat("x", 90) + "lamp" + strings.Repeat("y", 90), "lamp", 5, "…xxxxx", "lamp", "yyyyy…"},
		{"lines", "  one  \n\n\n\n two lamp\r\nthree\n\n", "lamp", 50, "one\n\n two ", "lamp", "\nthree"},
		{"a long match", "see " + strings.Repeat("z", 90) + " end", "z+", 10, "see ", strings.Repeat("z", 20) + "…", ""},
		{"made visible", "a\u202eb lamp\x00 \x1b[1mc", "lamp", 20, "a⟨U+202E⟩b ", "lamp", "⟨U+0000⟩ c"},
		{"runes", strings.Repeat("é", 30) + "lamp" + strings.Repeat("日", 30), "lamp", 3, "…ééé", "lamp", "日日日…"},
	}
	for _, test := range tests {
		at := regexp.MustCompile(test.match).FindStringIndex(test.text)
		before, found, after := excerpt(test.text, at[0], at[1], test.context)
		fixture.Equal(t, test.name, []string{before, found, after}, []string{test.before, test.found, test.after})
	}
}
