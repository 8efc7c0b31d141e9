package rank

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// top ranks the texts as turns of one session each, the even ones by the user, and returns their numbers.
func top(t *testing.T, query string, texts ...string) []int64 {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatalf("Parse(%q): %v", query, err)
	}
	r := q.Ranking()
	for i, text := range texts {
		r.Add(Doc{Text: text, User: i%2 == 0, Session: fmt.Sprint(i), Position: int64(i)})
	}
	var order []int64
	for _, hit := range r.Top(len(texts)) {
		order = append(order, hit.Position)
	}
	return order
}

// Each text is found by the query, in whatever form the words stand, and the decoys are not.
func TestMatchByLanguage(t *testing.T) {
	for _, c := range []struct{ query, text string }{
		{"how do we deploy to staging", "Deployments go to the staged box."},
		{"What did she buy?", "She bought a bicycle."},
		{"who went there", "They are going."},
		{"is he dying", "He died."},
		{"naïve café", "the NAIVE Cafe"},
		{"Wann wurde die Datenbank migriert?", "Wir migrieren alle Datenbanken im Mai."},
		{"Welche Häuser stehen dort?", "Das Haus ist alt."},
		{"Wer aß den Kuchen?", "Sie isst gerne, essen hält gesund."},
		{"Où sont conservées les images ?", "On conserve chaque image ici."},
		{"¿Dónde se guardan las copias?", "Guardo la copia en casa."},
		{"Onde ficam os relatórios?", "O relatório chegou."},
		{"Dove sono i documenti?", "Il documento è qui."},
		{"Waar staan de servers?", "De server staat in de kelder."},
		{"Где записаны пароли?", "Пароль лежит в столе."},
		{"σύνδεση", "ΣΎΝΔΕΣΗ"},
		{"会员有什么折扣?", "会员打九折"},
		{"猫", "一只猫"},
		{"サーバーはどこですか", "サーバーを移しました"},
		{"か\u3099くせい", "学生(がくせい)です"}, // voicing stored apart, in the query
		{"がくせい", "か\u3099くせい"},       // and in the text
		{"서버는 어디에 있나요", "서버를 옮겼어요"},
		{"서버", "\u1109\u1165\u1107\u1165"}, // hangul stored as jamo
		{"parseAmount", "call parse_amount first"},
		{"parse amount", "func ParseAmount(s string)"},
		{"HTTPServer", "the http server"},
		{"amount", "call parse_amount first"},
		{"amount", "call parseAmount first"},
		{"server", "an HTTPServer"},
		{"webhook_attempts", "WebhookAttempts"},
		{"internal/ledger/invoice.go", "see ledger: invoice"},
		{"deploy", "ｄｅｐｌｏｙ"},                // full width
		{"déployer", "de\u0301ployer"},      // decomposed
		{"go", "Go is fine"},                // a short word
		{"e2e4", "move e2e4 now"},           // digits within
		{"who is it", "who is it"},          // nothing but small words
		{"什么", "什么也没有"},                     // in a dense script too
		{"what did Ana say", "Ana said so"}, // a name is looked for
	} {
		if got := top(t, c.query, c.text, "zzz xyzzy"); !slices.Equal(got, []int64{0}) {
			t.Errorf("%q in %q: %v", c.query, c.text, got)
		}
	}
}

func TestNoMatch(t *testing.T) {
	for _, c := range []struct{ query, text string }{
		{"go", "gopher ego forgot"},
		{"how do we deploy to staging", "how do we do this to you"},
		{"会员", "会议的人员"},
		{"car", "card care scar"},
		{"cafe", strings.Repeat("cafe", 100)}, // a blob is not a word
		{"deploy", "dep\xffloy \xff\xfe \xc3"},
	} {
		if got := top(t, c.query, c.text); len(got) != 0 {
			t.Errorf("%q in %q: found", c.query, c.text)
		}
	}
}

// The first text is the better answer.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		why, query string
		texts      []string
	}{
		{"a rare word counts more", "retry ledger", []string{"the ledger stays as it was", "the retry stays as it was", "a retry is a retry always", "one more retry of that kind"}},
		{"both words", "retry ledger", []string{"the retry in the ledger again", "the retry, the retry, the retry"}},
		{"an answer over a question", "what about the ledger?", []string{"that ledger is at the bank now.", "and that is all of it, so which ledger is it?"}},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		r := q.Ranking()
		for i, text := range c.texts {
			// By equal scores the last would lead.
			r.Add(Doc{Text: text, User: true, Session: fmt.Sprint(9 - i), Position: int64(i)})
		}
		if hits := r.Top(1); len(hits) == 0 || hits[0].Position != 0 {
			t.Errorf("%s: %q: %v", c.why, c.query, hits)
		}
	}
}

// What else a session speaks of counts for its turns; what another speaks of does not, however near it was added.
func TestSession(t *testing.T) {
	q, _ := Parse("ledger boiler")
	r := q.Ranking()
	r.Add(Doc{Text: "the boiler is off", Session: "a", Position: 0})
	r.Add(Doc{Text: "the ledger is off", Session: "b", Position: 1})
	r.Add(Doc{Text: "nothing to say", Session: "c", Position: 2})
	r.Add(Doc{Text: "the ledger is off", Session: "d", Position: 3})
	for i, text := range []string{"the ledger is off", "one", "two", "three", "four", "the boiler is off"} {
		r.Add(Doc{Text: text, Session: "e", Position: int64(4 + i)})
	}
	score := map[int64]float64{}
	for _, h := range r.Top(20) {
		score[h.Position] = h.Score
	}
	if score[1] != score[3] {
		t.Errorf("the session before lends its words: %v", score)
	}
	if score[4] <= score[3] {
		t.Errorf("the rest of the session does not count: %v", score)
	}
}

func TestNeighbours(t *testing.T) {
	q, _ := Parse("Where does the ledger live?")
	r := q.Ranking()
	for i, text := range []string{
		"Good morning to you all.", "Nothing to report from here.", "And where does our ledger live now?", "In the basement, next to the boiler.",
		"Thank you, that is good to know.", "You are welcome, as ever.", "See you at lunch, I hope.",
	} {
		r.Add(Doc{Text: text, User: i%2 == 0, Session: "a", Position: int64(10 * i)})
	}
	r.Add(Doc{Text: "In the basement, next to the boiler.", Session: "b"})
	hits := r.Top(10)
	var positions []int64
	for _, h := range hits {
		if h.Session != "a" {
			t.Errorf("a turn of another session is no neighbour: %v", h)
		}
		positions = append(positions, h.Position)
	}
	slices.Sort(positions)
	if want := []int64{0, 10, 20, 30, 40}; !slices.Equal(positions, want) {
		t.Errorf("kept %v, want two turns each side: %v", positions, want)
	}
	if r.Matches() != 1 {
		t.Errorf("%d matches, want 1", r.Matches())
	}
	if hits[0].Position != 20 && hits[0].Position != 30 || hits[1].Position != 20 && hits[1].Position != 30 {
		t.Errorf("the question and its answer lead: %v", hits)
	}
}

func TestNewerFirst(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	q, _ := Parse("ledger")
	r := q.Ranking()
	r.Add(Doc{Text: "the ledger again", Time: day("2026-01-01"), Session: "old"})
	r.Add(Doc{Text: "the ledger again", Time: day("2026-02-01"), Session: "new"})
	r.Add(Doc{Text: "the ledger again", Session: "unknown"})
	if hits := r.Top(3); hits[0].Session != "new" || hits[0].Score != hits[1].Score || hits[1].Session != "old" {
		t.Errorf("of equals the newer leads: %v", hits)
	}
}

func TestParse(t *testing.T) {
	for _, query := range []string{"", "  ", "?!", `""`, "\xff\xfe", strings.Repeat("x", 200), "___"} {
		if _, err := Parse(query); !errors.Is(err, ErrNoWords) {
			t.Errorf("Parse(%q): %v", query, err)
		}
	}
	for query, want := range map[string][]string{
		"how do we deploy to staging":  {"deploy", "staging"},
		"Wo liegt der Schlüssel?":      {"liegt", "Schlüssel"},
		"parseAmount parse":            {"parseAmount", "parse", "Amount"},
		"deploy deployed Deployment":   {"deploy"},
		"会员折扣":                         {"会员", "员折", "折扣"},
		"服务器 deploy":                   {"服务", "务器", "deploy"},
		`"deploy to staging" quickly`:  {"deploy", "staging", "quickly"},
		"the of and":                   {"the", "of", "and"},
		"why's the user's laptop slow": {"user", "laptop", "slow"},
	} {
		q, err := Parse(query)
		if err != nil || !slices.Equal(q.Terms(), want) {
			t.Errorf("Parse(%q): %q, %v; want %q", query, q.Terms(), err, want)
		}
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "w%dx ", i)
	}
	q, err := Parse(many.String())
	if err != nil || len(q.Terms()) != maxTerms {
		t.Errorf("%d terms, %v; want %d", len(q.Terms()), err, maxTerms)
	}
	if got := top(t, many.String(), "w31x and w127x"); len(got) != 1 {
		t.Error("the last of all terms is not found")
	}
}

// The work may be split among any number of workers, and the answer stays the same to the last bit.
func TestWorkers(t *testing.T) {
	q, _ := Parse("when did the retry loop break the ledger?")
	answer := func(workers int) []Hit {
		var rankings []*Ranking
		for range workers {
			rankings = append(rankings, q.Ranking())
		}
		for s := range 60 {
			for i := range 7 {
				text := []string{"the loop", "a retry", "nothing at all here", "ledger, I say", "why?", "it broke last week"}[(s*i+s)%6]
				rankings[s%workers].Add(Doc{Text: text, User: i%2 == 0, Time: time.Unix(int64(1e9+3600*(s/12)), 0), Session: fmt.Sprint(s), Position: int64(i)})
			}
		}
		for _, other := range rankings[1:] {
			rankings[0].Merge(other)
		}
		return rankings[0].Top(100)
	}
	want := answer(1)
	if len(want) != 100 {
		t.Fatalf("%d hits", len(want))
	}
	for _, n := range []int{2, 3, 7, 60} {
		if got := answer(n); !slices.Equal(got, want) {
			t.Errorf("%d workers answer otherwise", n)
		}
	}
}

// What is kept stays within its bound, the best turn survives, and what went is counted.
func TestBound(t *testing.T) {
	q, _ := Parse("ledger boiler")
	for name, session := range map[string]func(int) string{
		"many sessions": func(i int) string { return fmt.Sprint(i / 50) },
		"one session":   func(int) string { return "only" },
	} {
		r := q.Ranking()
		const n = 3 * maxTurns
		for i := range n {
			text := "the ledger"
			if i == 1000 {
				text = "the ledger on the boiler of the house"
			}
			r.Add(Doc{Text: text, Session: session(i), Position: int64(i)})
		}
		if len(r.turns) > 2*maxTurns || len(r.turns) < maxTurns/2 {
			t.Errorf("%s: %d turns are kept", name, len(r.turns))
		}
		if r.Matches() != n {
			t.Errorf("%s: %d of %d matches", name, r.Matches(), n)
		}
		if hits := r.Top(1); len(hits) != 1 || hits[0].Position != 1000 {
			t.Errorf("%s: the best turn is lost: %v", name, hits)
		}
	}
}

func TestEmpty(t *testing.T) {
	q, _ := Parse("ledger")
	r := q.Ranking()
	if hits := r.Top(5); len(hits) != 0 {
		t.Error(hits)
	}
	r.Add(Doc{})
	r.Merge(q.Ranking())
	if hits := r.Top(5); len(hits) != 0 {
		t.Error(hits)
	}
	r.Add(Doc{Text: "ledger"})
	for _, n := range []int{-1, 0} {
		if hits := r.Top(n); len(hits) != 0 {
			t.Errorf("Top(%d): %v", n, hits)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, c := range [][2]string{
		{"how do we deploy to staging", "Deployments; the stage was set, relEASED_it"},
		{"What did Ana buy and eat?", "bought, ATE eaten éte ana's An\u0301a"},
		{"会员折扣 ledger", "会员ledger折扣か\u3099"}, {"Où sont les œufs", "ŒUFS œuf oeuf"}, {"서버를", "\u1109\u1165"},
		{"e", "E e\u0301 _e e_ e2"}, {"skies die", "sky dying dies"}, {"\u0301a", "\u0301\u0301a"}, {"x", strings.Repeat("A\u0301", 50)},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q, err := Parse(query)
		if err != nil {
			return
		}
		var first, again turn
		r := q.Ranking()
		r.count(text, &first)
		r.count(text, &again) // from the cache
		if first != again {
			t.Fatalf("%q in %q: the second look sees otherwise", query, text)
		}
		r = q.Ranking()
		for i, part := range strings.SplitAfter(text, " ") {
			r.Add(Doc{Text: part, User: i%3 == 0, Session: "s", Position: int64(i), Time: time.Unix(int64(i), 0)})
		}
		hits := r.Top(50)
		if !slices.IsSortedFunc(hits, func(a, b Hit) int {
			if a.Score > b.Score {
				return -1
			} else if a.Score < b.Score {
				return 1
			}
			return 0
		}) {
			t.Fatalf("%q: %v is not in order", query, hits)
		}
		for _, h := range hits {
			if !(h.Score > 0 && h.Score < 1e9) {
				t.Fatalf("%q: a score of %v", query, h.Score)
			}
		}
	})
}

// The inflexions of common words are found, in each language.
func TestInflexions(t *testing.T) {
	for query, text := range map[string]string{
		"the sky is dying and tied":      "skies die tying ties died",
		"the women and the mice bought":  "woman mouse buys buying",
		"die Häuser und die Bäume":       "Haus Häusern Baum bäume",
		"les généraux et les animaux":    "général générale animal",
		"¿qué dijeron los peces ácidos?": "pez acido ácida",
		"какие новые друзья":             "друзей новых",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		var all turn
		q.Ranking().count(text, &all)
		if all.terms == 0 {
			t.Errorf("%q is not found in %q", query, text)
		}
	}
}

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

// A short reply has the words of what it answers.
func TestReply(t *testing.T) {
	hits := ask(t, "after how many days are raw measurements deleted",
		"The export is faster now. Raw measurements are kept for ever; I suggest deleting them after 30 days.", "90",
		"Done. Anything else?", "no, that is all for today, thanks for the help with this")
	if len(hits) < 2 || hits[1].Position != 1 && hits[0].Position != 1 {
		t.Errorf("%v", hits)
	}
}
