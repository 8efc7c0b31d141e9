package rank

import (
	"fmt"
	"strings"
	"testing"
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
