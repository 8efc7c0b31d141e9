package likeness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLike(t *testing.T) {
	const text = "Restart the worker by `systemctl restart worker` after each change of its unit file, never by kill."
	read := func(name, description, body string) *Reading { return Read(Memory{name, description, body}) }
	long := "Deploys, customers, maps and tiles have words of their own. " + sentence(rand.New(rand.NewPCG(1, 1)), 9000, 200)
	tests := []struct {
		name string
		a, b *Reading
		want bool
	}{
		{"the same text under another name", read("a", "Restarting", text), read("b", "The worker", text), true},
		{"a note that the longer one holds", read("worker_restart", "Restart the worker by systemctl after a change of its unit file", ""), read("worker", "Restart", text+" Logs are in the journal; the user asked for this in May."), true},
		{"spelled with - and _", read("feedback_worker-restart", "Restarting the worker", text), read("worker_restart.md", "How to restart the worker", text), true},
		{"another subject", read("worker", "Restart the worker", text), read("invoice", "Invoices are rounded by line", "Each line of an invoice is rounded, the total is not."), false},
		{"a stub", read("todo", "todo", ""), read("todo2", "todo", ""), false},
		{"nothing at all", read("", "", ""), read("", "", ""), false},
		{"a stub in a long text", read("maps", "Deploys have tiles", "The customers like maps, which tiles make."), read("all", "Everything", long), false},
		{"one form, two subjects", read("service_mail", "Service mail: owner, deploy, database", "Owner: Talk. Deploy: make deploy. Database: Postgres."),
			read("service_shop", "Service shop: owner, deploy, database", "Owner: Shop. Deploy: make deploy. Database: Postgres."), false},
		{"two days of one series", read("standup_2026-05-04", "Stand-up of 2026-05-04", "The importer is merged, the release is on Thursday, a leak is in the pool."),
			read("standup_2026-05-05", "Stand-up of 2026-05-05", "The exporter begins, the release is on Friday, the pool is mended."), false},
		{"one note, saved on two days", read("worker_20260504", "Restart the worker", text), read("worker_20260505", "Restart the worker", text), true},
	}
	for _, test := range tests {
		ab, got := test.a.Like(test.b)
		ba, back := test.b.Like(test.a)
		if got != test.want || back != got || ab != ba {
			t.Errorf("%s: %.2f %v, and the other way %.2f %v, want %v", test.name, ab, got, ba, back, test.want)
		}
	}
}

func TestReadName(t *testing.T) {
	for file, want := range map[string]string{
		"feedback_pm2-restart.md":  "pm2 restart|",
		"PM2_restarts_20260523.md": "pm2 restarts|20260523",
		"team/retro-2026-05.md":    "retro|202605",
		"log_2026-05-27_b.md":      "log b|20260527",
		"migration_042.md":         "migration 042|",
		"year_2026.md":             "year 2026|",
		"project.md":               "project|",
		"project_지연시간-대시보드.md":     "지연시간 대시보드|",
	} {
		n := readName(file)
		var parts []string
		for _, p := range n.parts {
			parts = append(parts, p.text)
		}
		if got := strings.Join(parts, " ") + "|" + n.date; got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestStems(t *testing.T) {
	for _, same := range [][2]string{{"migration", "Migrations"}, {"deploys", "deploy"}, {"Straße", "straßen"}, {"pass", "pass"}} {
		if stemWord(same[0]) != stemWord(same[1]) {
			t.Errorf("%q are two words", same)
		}
	}
	for _, two := range [][2]string{{"pass", "pas"}, {"042", "043"}, {"staging", "stable"}, {"is", "i"}} {
		if stemWord(two[0]) == stemWord(two[1]) {
			t.Errorf("%q are one word", two)
		}
	}
}

func TestWithoutTargets(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"a [[b c|d]] e [f](g h) i": "a   e [f  i",
		"a [[b\nc]] [d](e\nf) [[":  "a  b\nc]] [d e\nf)  ",
		"[[a](b)]]":                " ",
		"![x](" + "y.png)":         "![x ",
	} {
		if got := withoutTargets(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// sentence makes a text of n words out of a vocabulary.
func sentence(r *rand.Rand, vocabulary, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%dx", int(float64(vocabulary)*r.Float64()*r.Float64()))
	}
	return strings.Join(words, " ")
}

// TestPairs checks that the words by which memories are found leave none out that comparing all would find.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var readings []*Reading
		for i := range 60 {
			m := Memory{Name: fmt.Sprintf("n%d", i), Description: sentence(r, 300, 6), Body: sentence(r, 300, r.IntN(40))}
			if i%3 == 0 && i > 0 {
				m.Body = sentence(r, 300, 6) + " " + readingBody[i%len(readingBody)]
			}
			readings = append(readings, Read(m))
		}
		found := Pairs(readings)
		var want []Pair
		for i := range readings {
			for j := range i {
				if share, tooMuch := readings[j].Like(readings[i]); tooMuch {
					want = append(want, Pair{j, i, share})
				}
			}
		}
		slices.SortFunc(want, func(p, q Pair) int { return 1000*(p.A-q.A) + p.B - q.B })
		if len(want) == 0 || !slices.Equal(found, want) {
			t.Fatalf("found %d pairs, want %d:\n%v\n%v", len(found), len(want), found, want)
		}
	}
}

var readingBody = []string{
	"alpha beta gamma delta epsilon zeta theta iota kappa lambda omicron sigma upsilon",
	"anchor bridge castle dragon engine forest garden harbor island jungle kettle lantern",
}

// FuzzLike holds that likeness is a measure: the same both ways, one with itself, whatever the bytes.
func FuzzLike(f *testing.F) {
	f.Add("feedback_a.md", "Restart the worker", "text of it", "b_2026-05-04", "再起動 する", "커밋 메시지")
	f.Add("a-b", "", "\xff\xfe", "a_c", "x", strings.Repeat("字", 100))
	f.Fuzz(func(t *testing.T, n1, d1, b1, n2, d2, b2 string) {
		a, b := Read(Memory{n1, d1, b1}), Read(Memory{n2, d2, b2})
		ab, tooMuch := a.Like(b)
		ba, back := b.Like(a)
		if ab != ba || tooMuch != back || ab < 0 || ab > 1.0000001 {
			t.Fatalf("%v %v, %v %v", ab, tooMuch, ba, back)
		}
		if self, _ := a.Like(Read(Memory{n1, d1, b1})); a.weight >= minShared && self < 0.9999999 {
			t.Fatalf("with itself %v", self)
		}
		if tooMuch != (len(Pairs([]*Reading{a, b})) == 1) {
			t.Fatalf("Like says %v, Pairs %v", tooMuch, Pairs([]*Reading{a, b}))
		}
	})
}

// BenchmarkPairs is what reading 1,000 memories takes, and comparing them.
func BenchmarkPairs(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	memories := make([]Memory, 1000)
	for i := range memories {
		memories[i] = Memory{fmt.Sprintf("project_%s", sentence(r, 4000, 2)), sentence(r, 4000, 12), sentence(r, 4000, 300)}
	}
	readings := make([]*Reading, len(memories))
	for i, m := range memories {
		readings[i] = Read(m)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			for _, m := range memories {
				Read(m)
			}
		}
	})
	b.Run("pairs", func(b *testing.B) {
		for b.Loop() {
			Pairs(readings)
		}
	})
}
