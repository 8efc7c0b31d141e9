package related

import (
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

// nearest returns the passage that shares most with a text, and whether one does.
func nearest(x *Index, s string) (p Passage, shared []Term) {
	words, most := x.words(s, true), 0.0
	for i, share := range x.shares(words) {
		if share > most {
			p, shared, most = x.Passages[i], x.shared(words, i), share
		}
	}
	return p, shared
}

// A passage is near that shares two words or more with a text, however they are written.
func TestShares(t *testing.T) {
	x := New(docs())
	for question, want := range map[string]string{
		"we moved to postgres 17, the port stays 5433": "database.md:6",
		"rollbacks of host-7":                          "deploys.md:10",
		"the invoice_worker makes no invoices":         "billing.md:4",
		"client_test.go needs no database any more":    "testing.md:4",
		"我们改变了迁移的测试环境":                                 "notes_zh.md:1",
		"is orders on db-1?":                           "database.md:11",
		"is it an image?":                              "",
		"the image, the images, an IMAGE":              "",
		"hello there":                                  "",
		"":                                             "",
	} {
		got := ""
		if p, _ := nearest(x, question); p.File != "" {
			got = p.Where()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", question, got, want)
		}
	}
}

// A word that no memory has counts, too: what is mostly on something else is about no memory.
func TestUnknownWords(t *testing.T) {
	x := New(docs())
	for s, want := range map[string]int{
		"postgres 17 on port 5433 for the shop": 1,
		"postgres, port: the harbour crane lifts barrels of herring onto a schooner while gulls circle above the lighthouse keeper": 0,
	} {
		if got := x.About(s, nil); len(got) != want {
			t.Errorf("%q is about %v", s, got)
		}
	}
}

func TestRarity(t *testing.T) {
	_, shared := nearest(New(docs()), "postgres for the shop")
	if len(shared) == 0 || shared[0].Text != "postgr" || shared[0].Files != 1 || shared[0].Weight != 1 {
		t.Errorf("got %+v", shared)
	}
	for all := 1; all < 50; all++ {
		for holders := 1; holders < all; holders++ {
			if a, b := text.Rarity(holders, all), text.Rarity(holders+1, all); a <= b || a > 1.001 || b < 0 {
				t.Fatalf("%d and %d of %d: %f, %f", holders, holders+1, all, a, b)
			}
		}
	}
}

// FuzzSplit holds that each passage is in its file where it says, and that no line is in two passages unless it is
// long.
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
