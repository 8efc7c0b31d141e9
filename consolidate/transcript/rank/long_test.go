package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// ask ranks the turns of one session, the model and the person in turn, the model first.
func ask(t *testing.T, query string, turns ...string) []Hit {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	r := q.Ranking()
	for i, text := range turns {
		r.Add(Doc{Text: text, User: i%2 == 1, Session: "s", Position: int64(i)})
	}
	return r.Top(10)
}

// A long question is answered by its rarest words, wherever in it they are.
func TestRarestTerms(t *testing.T) {
	var question strings.Builder
	common := make([]string, 0, 40)
	for i := range 40 {
		common = append(common, fmt.Sprintf("common%dx", i))
	}
	question.WriteString(strings.Join(common, " ") + " zeppelin")
	turns := []string{"the zeppelin moored at noon"}
	for range 50 {
		turns = append(turns, strings.Join(common, " "))
	}
	if q, err := Parse(question.String()); err != nil || len(q.Terms()) != 41 {
		t.Fatalf("%d terms, %v", len(q.Terms()), err)
	}
	q, _ := Parse(question.String())
	r := q.Ranking()
	for i, text := range turns {
		r.Add(Doc{Text: text, Session: fmt.Sprint(i), Position: int64(i)})
	}
	idf, _ := r.idf()
	used := r.rarest(idf)
	if len(used) != maxUsed || used[len(used)-1] != 40 {
		t.Errorf("used %v", used)
	}
}

// A short reply has the words of what it answers.
func TestReply(t *testing.T) {
	hits := ask(t, "after how many days are raw measurements deleted",
		"The export is faster now. Raw measurements are kept for ever; I suggest deleting them after 30 days.", "90",
		"Done. Anything else?", "no, that is all for today, thanks for the help with this")
	if len(hits) < 2 || hits[1].Position != 1 && hits[0].Position != 1 {
		t.Errorf("%v", hits)
	}
}

func TestSpans(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for text, want := range map[string][2]string{
		"on 25.01.2024":                     {"2024-01-25", "2024-01-26"},
		"on 25/1/2024":                      {"2024-01-25", "2024-01-26"},
		"on 1/25/2024":                      {"2024-01-25", "2024-01-26"},
		"on 2024-01-25 at noon":             {"2024-01-25", "2024-01-26"},
		"am 25. Januar 2024":                {"2024-01-25", "2024-01-26"},
		"on January 25th, 2024":             {"2024-01-25", "2024-01-26"},
		"in May 2024":                       {"2024-05-01", "2024-06-01"},
		"during 2024":                       {"2024-01-01", "2025-01-01"},
		"the last two weeks of August 2024": {"2024-08-18", "2024-09-01"},
		"the first week of August 2024":     {"2024-08-01", "2024-08-08"},
		"the second half of August 2024":    {"2024-08-16", "2024-08-31"},
		"Ende August 2024":                  {"2024-08-21", "2024-09-01"},
		"early August 2024":                 {"2024-08-01", "2024-08-11"},
	} {
		spans := spansOf(tokenize(text))
		if len(spans) != 1 {
			t.Errorf("%q: %v", text, spans)
			continue
		}
		from, to := spans[0].days(0)
		if !from.Equal(day(want[0])) || !to.Equal(day(want[1])) {
			t.Errorf("%q: %s to %s; want %v", text, from, to, want)
		}
	}
	hits := ask(t, "what was planned for June 7",
		"The migration takes a minute.", "sunday night then, 2026-06-07", "The release of June 8 is planned.", "the planned freeze is on july 7")
	if !slices.ContainsFunc(hits[:2], func(h Hit) bool { return h.Position == 1 }) {
		t.Errorf("%v", hits)
	}
}
