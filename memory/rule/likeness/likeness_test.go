package likeness

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// crowd is memories that share nothing with the others of a test.
func crowd(n int) []*Reading {
	r := rand.New(rand.NewPCG(1, 1))
	readings := make([]*Reading, n)
	for i := range readings {
		readings[i] = Read(Memory{fmt.Sprintf("crowd%d", i), sentence(r, 900, 8), sentence(r, 900, 60)})
	}
	return readings
}

func TestWith(t *testing.T) {
	const text = "Restart the worker by `systemctl restart worker` after each change of its unit file, never by kill: the queue loses the jobs that run."
	const form = "## Owner\n\nThe team in the first column of the sheet. ## Deploy\n\n`make deploy` from the main branch after the tests have passed. ## Database\n\nPostgres, one schema for each service."
	read := func(name, description, body string) *Reading { return Read(Memory{name, description, body}) }
	long := text + " " + sentence(rand.New(rand.NewPCG(1, 1)), 9000, 60)
	tests := []struct {
		name string
		a, b *Reading
		want bool
	}{
		{"the same text under another name", read("a", "Restarting", text), read("b", "The worker", text), true},
		{"a note that a longer one holds", read("worker_restart", "Restart the worker", text), read("worker", "All of it", long), true},
		{"spelled with - and _", read("feedback_worker-restart", "Restarting", text), read("worker_restart.md", "How to restart", text), true},
		{"a fifth of the phrases", read("a", "", text+" The unit is in the repository infra, below hosts, one folder for each machine."),
			read("b", "", "After each change of its unit file, never by kill: the queue loses the jobs. Alerts go to the channel core, where Mira and Jonas answer by turns, and at night to the pager."), false},
		{"another subject", read("worker", "Restart the worker", text),
			read("invoice", "Invoices are rounded by line", "Each line of an invoice is rounded, the total is not."), false},
		{"a stub", read("todo", "todo", ""), read("todo2", "todo", ""), false},
		{"nothing at all", read("", "", ""), read("", "", ""), false},
		{"one form, two subjects", read("service_mail", "Service mail", form+" Owner: Talk, on call: Mira, schema mail."),
			read("service_shop", "Service shop", form+" Owner: Till, on call: Jonas, schema shop."), false},
		{"two days of one series", read("standup_2026-05-04", "Stand-up", form+" The importer is merged, the release is on Thursday."),
			read("standup_2026-05-05", "Stand-up", form+" The exporter begins, a leak is in the pool."), false},
		{"one note, saved on two days", read("worker_20260504", "Restart", text), read("worker_20260505", "Restart", text), true},
		{"a script without spaces", read("a", "", "提交信息一律使用中文书写，因为团队周报直接引用提交信息"), read("b", "", "提交信息一律使用中文书写，因为周报直接引用提交信息"), false},
	}
	for _, test := range tests {
		got := Compare(append(crowd(20), test.a, test.b)).With(20)
		if test.want != (len(got) == 1) || test.want && got[0].At != 21 {
			t.Errorf("%s: %+v, want %v", test.name, got, test.want)
		}
		readings := append([]*Reading{test.b, test.a}, crowd(20)...)
		if back := Compare(readings).With(0); len(back) != len(got) || len(got) == 1 && back[0].Share != got[0].Share {
			t.Errorf("%s: %+v, and the other way %+v", test.name, got, back)
		}
	}
}

// What a directory shares says nothing: the same two memories among others that fill in their form.
func TestSharedForm(t *testing.T) {
	const form = "The owner is in the first column of the sheet. Deploy by `make deploy` from the main branch after the tests have passed. One schema of Postgres for each service."
	r := rand.New(rand.NewPCG(1, 2))
	memory := func(i int) *Reading {
		return Read(Memory{fmt.Sprintf("%s.md", sentence(r, 9000, 1)), "", form + " " + sentence(r, 9000, 8)})
	}
	two := []*Reading{memory(0), memory(1)}
	if len(Compare(append(crowd(20), two...)).With(20)) != 1 {
		t.Error("two memories that share most of their phrases are not found")
	}
	for i := range 40 {
		two = append(two, memory(i))
	}
	if like := Compare(two).With(0); len(like) > 0 {
		t.Errorf("of a form that all share: %+v", like)
	}
}

func TestReadName(t *testing.T) {
	for file, want := range map[string]string{
		"feedback_pm2-restart.md":  "pm2 restar|",
		"PM2_restarts_20260523.md": "pm2 restar|20260523",
		"team/retro-2026-05.md":    "retro|202605",
		"log_2026-05-27_b.md":      "log b|20260527",
		"migration_042.md":         "migrat 042|",
		"year_2026.md":             "year 2026|",
		"project.md":               "projec|",
		"project_지연시간-대시보드.md":     "지연시간 대시보드|",
	} {
		n := readName(file)
		if got := strings.Join(n.parts, " ") + "|" + n.date; got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestStems(t *testing.T) {
	for _, same := range [][2]string{{"migration", "Migrations"}, {"deploys", "deploy"}, {"Straße", "straßen"}, {"pass", "pass"}} {
		if stem(strings.ToLower(same[0])) != stem(strings.ToLower(same[1])) {
			t.Errorf("%q are two words", same)
		}
	}
	for _, two := range [][2]string{{"pass", "pas"}, {"042", "043"}, {"staging", "stable"}, {"is", "i"}} {
		if stem(two[0]) == stem(two[1]) {
			t.Errorf("%q are one word", two)
		}
	}
}

func TestWithoutTargets(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"a [[b c|d]] e [f](g h) i": "a   e [f  i",
		"a [[b\nc]] [d](e\nf) [[":  "a [[b\nc]] [d](e\nf) [[",
		"[[a](b)]]":                "[[a ]]",
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

// FuzzWith holds that a memory is like its copy, whatever the bytes, and that order does not matter.
func FuzzWith(f *testing.F) {
	f.Add("feedback_a.md", "Restart the worker", "text of it", "b_2026-05-04", "再起動 する", "커밋 메시지")
	f.Add("a-b", "", "\xff\xfe", "a_c", "x", strings.Repeat("字", 100))
	f.Fuzz(func(t *testing.T, n1, d1, b1, n2, d2, b2 string) {
		a, b := Read(Memory{n1, d1, b1}), Read(Memory{n2, d2, b2})
		both := Compare([]*Reading{a, b})
		if there, back := both.With(0), both.With(1); len(there) != len(back) || len(there) == 1 && there[0].Share != back[0].Share {
			t.Fatalf("%v %v", there, back)
		}
		phrases := 0
		for _, f := range a.features {
			if f.kind() == phrase {
				phrases++
			}
		}
		self := Compare([]*Reading{a, Read(Memory{n1, d1, b1})}).With(0)
		if phrases >= minPhrases && (len(self) != 1 || self[0].Share < 0.999) {
			t.Fatalf("with itself %v", self)
		}
	})
}
