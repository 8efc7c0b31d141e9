package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// Of several patterns each has its share of the page and its count; a word matches whole words.
func TestSeveralPatterns(t *testing.T) {
	f := fixture.Talk(1).User("a lamp").User("a lens").Reply("a lamp and a lens, a lens").User("a door").
		Says("m", fixture.Use("t", "Bash", fixture.Fields{"command": "lens"})).User("the doorway").User("Türen und Lampen").User("门和灯")
	plain := store(t, f)
	s := withCache(t, plain)
	if _, err := s.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{plain, s} {
		for _, test := range []struct {
			q    Query
			want string
		}{
			{Query{Patterns: []string{"lamp", "lens"}}, "0:3 0:1 1:2 of 3 [{2 1} {2 0}]"},
			{Query{Patterns: []string{"lens", "lamp"}}, "0:3 0:2 1:1 of 3 [{2 0} {2 1}]"},
			{Query{Patterns: []string{"lens", "lamp", "door"}, Limit: 1}, "0:3 1:1 2:4 of 4 [{2 0} {2 1} {1 1}]"},
			{Query{Patterns: []string{"door", "nothing", "a d"}}, "0:4 of 1 [{1 1} {0 0} {1 0}]"},
			{Query{Patterns: []string{"d.or", "^a lamp$"}, Regex: true}, "0:6 0:4 1:1 of 3 [{2 0} {1 0}]"},
			{Query{Patterns: []string{"türen", "灯"}}, "0:7 1:8 of 2 [{1 0} {1 0}]"},
			{Query{Patterns: []string{"lens", "nothing"}, Speakers: []said.Speaker{said.User, said.Tool}}, "0:5 0:2 of 2 [{2 0} {0 0}]"},
			{Query{Pattern: "door"}, "0:6 0:4 of 2 []"},
		} {
			r := search(t, s, test.q)
			got := ""
			for _, h := range r.Hits {
				got += fmt.Sprintf("%d:%d ", h.Pattern, h.Line)
			}
			if got += fmt.Sprintf("of %d %v", r.Matches, r.Patterns); got != test.want {
				t.Errorf("%+v: %s, want %s", test.q, got, test.want)
			}
		}
		if h := search(t, s, Query{Patterns: []string{"lens", "lamp"}}).Hits[0]; h.Match != "lens" || h.More != 1 {
			t.Errorf("match %q and %d more, want the first lens and 1", h.Match, h.More)
		}
		many := append(slices.Repeat([]string{"nothing"}, MaxPatterns), "lamp")
		if r, all := search(t, s, Query{Patterns: many[1:]}), search(t, s, Query{Patterns: []string{"lamp"}}).Matches; r.Matches != all {
			t.Errorf("%d matches of the last pattern, want %d", r.Matches, all)
		}
	}
	for _, q := range []Query{{Patterns: []string{"x", ""}}, {Patterns: slices.Repeat([]string{"x"}, MaxPatterns+1)}, {Patterns: []string{"x", "y"}, Cursor: "x"}} {
		var wrong *QueryError
		if _, err := s.Search(t.Context(), q); !errors.As(err, &wrong) {
			t.Errorf("%v: want a QueryError", err)
		}
	}
}

func TestAlike(t *testing.T) {
	first, second := fixture.Talk(1), fixture.Talk(2)
	for i := range 5 {
		first.User(fmt.Sprint("Run step  ", i, " of the lamp\n"))
	}
	first.Reply("run step 7 of the lamp").User("another lamp")
	second.User("run step 12 of the LAMP").User("a third lamp").User("A third lamp")
	s := withCache(t, store(t, first, second))
	for range 2 {
		var got []string
		q := Query{Pattern: "lamp", Fold: true, Limit: 2}
		for {
			r := search(t, s, q)
			if r.Matches != 10 {
				t.Fatalf("%d matches", r.Matches)
			}
			for _, h := range r.Hits {
				got = append(got, fmt.Sprintf("%s+%d%v", strings.TrimSpace(h.Before+h.Match+h.After), h.Alike, h.In))
			}
			if q.Cursor = r.Next; r.Next == "" {
				break
			}
		}
		fixture.Equal(t, "hits", got, []string{"another lamp+0[]", "run step 7 of the lamp+0[]", "Run step  4 of the lamp+5[00000002-000]", "A third lamp+1[]"})
		if r := search(t, s, Query{Pattern: "lamp", Limit: 20}); len(r.Hits) != 10 {
			t.Errorf("%d hits without folding", len(r.Hits))
		}
	}
	if a := alike(said.User, strings.Repeat("x", maxAlike+1)); a != 0 {
		t.Error("a long text is like another")
	}
}

// What a question is compared with: the words of those who are asked for, in the time that is asked for.
func TestRankedIsOfTheQuery(t *testing.T) {
	first := fixture.Talk(1).User("one lamp").Says("m", fixture.Words("two lamps")).Enqueue("a third lamp").Says("m", fixture.Words("and on")).User("four")
	s := withCache(t, store(t, first, fixture.Talk(2).User("the fifth lamp")))
	for _, test := range []struct {
		query Query
		want  []string
	}{
		{Query{}, []string{"one lamp", "two lamps\n\nand on", "a third lamp", "the fifth lamp"}},
		{Query{Session: fixture.ID(1)}, []string{"one lamp", "two lamps\n\nand on", "a third lamp"}},
		{Query{Speakers: []said.Speaker{said.Assistant}}, []string{"two lamps\n\nand on"}},
		{Query{Since: fixture.Start.AddDate(1, 0, 0)}, nil},
	} {
		ranked, r, err := s.Ranked(t.Context(), "Lamp", test.query)
		var got []string
		for _, h := range ranked {
			u, err := s.Lookup(t.Context(), h.ID)
			if text := h.Before + h.Match + h.After; err != nil || text != u.Text || h.Text != "" || !h.Time.Equal(u.Time) || h.Beside != nil && h.Beside.Session != h.Session {
				t.Errorf("%+v, of %+v, %v", h, u, err)
			}
			if strings.Contains(u.Text, "lamp") && h.Match == "" {
				t.Errorf("%q: no match is marked", u.Text)
			}
			if strings.Contains(u.Text, "lamp") {
				got = append(got, u.Text)
			}
			if h.Beside != nil && slices.Contains(test.want, h.Beside.Text) {
				got = append(got, h.Beside.Text) // shown beside a better one
			}
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if fixture.Equal(t, fmt.Sprintf("%+v", test.query), got, test.want); err != nil || r.Matches != len(test.want) {
			t.Errorf("%+v: %+v, %v", test.query, r, err)
		}
	}
}

func TestContextOf(t *testing.T) {
	f := fixture.Talk(1).User("one").Says("m", fixture.Words("two")).Enqueue("three").Says("m", fixture.Words("and on")).
		Says("n", fixture.Use("t", "Bash", fixture.Fields{"command": "five"})).User("six").User(strings.Repeat("seven ", 1000)).User("eight")
	s := withCache(t, store(t, f))
	short := said.ShortID(fixture.ID(1))
	for _, test := range []struct {
		at, n int
		want  string
	}{
		{1, 1, "one|two\n\nand on"},
		{2, 1, "one|two\n\nand on|three"},
		{3, 2, "one|two\n\nand on|three|six|seven"},
		{5, 1, "three|Bash: command=five|six"},
		{8, 1, "seven|eight"},
		{8, 99, "one|two\n\nand on|three|six|seven|eight"},
		{6, 0, "six"},
	} {
		turns, err := s.ContextOf(t.Context(), []string{fmt.Sprint(short, ":", test.at)}, test.n)
		var got []string
		for _, u := range turns {
			if len(u.Text) > maxTurn+len(ellipsis) {
				t.Errorf("a turn of %d bytes", len(u.Text))
			}
			if strings.HasPrefix(u.Text, "seven seven") && strings.HasSuffix(u.Text, ellipsis) {
				u.Text = "seven"
			}
			got = append(got, u.Text)
		}
		if err != nil || strings.Join(got, "|") != test.want {
			t.Errorf("ContextOf(%d, %d) = %q, %v; want %q", test.at, test.n, got, err, test.want)
		}
	}
	for _, name := range []string{"x", short + ":99", "ffffffff-000:1"} {
		if _, err := s.ContextOf(t.Context(), []string{name}, 1); !errors.Is(err, sessions.ErrNotFound) {
			t.Errorf("ContextOf(%q): %v, want ErrNotFound", name, err)
		}
	}
	// Of several IDs each turn is shown once, and those that were asked for are marked.
	turns, err := s.ContextOf(t.Context(), []string{short + ":1", short + ":3", short + ":8", short + ":7"}, 1)
	var got []string
	for _, u := range turns {
		got = append(got, fmt.Sprintf("%d%v", u.Line, u.Asked))
	}
	if want := "1true 2false 3true 6false 7true 8true"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v; want %s", got, err, want)
	}
	if u := turns[4]; len(u.Text) < 5_900 || !strings.HasSuffix(strings.TrimSpace(u.Text), "seven") {
		t.Errorf("one of several that were asked for has %d bytes, %q", len(u.Text), u.Text[len(u.Text)-20:])
	}
	// What answers each of several is the turn that says most of the same.
	talk := fixture.Talk(3).User("the lamp is green").Says("m", fixture.Words("Let me look.")).User("and the horn takes 12 V").Says("n", fixture.Words("I run the tests.")).
		Says("o", fixture.Words("12 V, noted.")).Says("p", fixture.Words("All 40 tests pass."))
	s, short = withCache(t, store(t, talk)), said.ShortID(fixture.ID(3))
	turns, err = s.ContextOf(t.Context(), []string{short + ":1", short + ":3"}, 4)
	got = nil
	for _, u := range turns {
		got = append(got, u.Text)
	}
	if want := "the lamp is green|Let me look.|and the horn takes 12 V|12 V, noted."; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	long := fixture.Talk(2)
	for range 60 {
		long.User(strings.Repeat("日本", 2000))
	}
	s = withCache(t, store(t, long))
	turns, err = s.ContextOf(t.Context(), []string{said.ShortID(fixture.ID(2)) + ":30"}, 50)
	size := 0
	for _, u := range turns {
		size += len(u.Text)
	}
	if err != nil || size > maxTurns+maxTurn || len(turns) < 10 || turns[len(turns)/2].Line != 30 {
		t.Errorf("%d turns of %d bytes, %v", len(turns), size, err)
	}
}
