package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

func TestWikiLink(t *testing.T) {
	files := map[string]string{
		"feedback_go_tests.md": memo("go-tests", memory.TypeFeedback, "x"), "deploy-staging.md": memo("Deploy: staging", memory.TypeProject, "x"),
		"team/rota.md": memo("rota", memory.TypeProject, "x"), "한글_이름.md": memo("k", memory.TypeUser, "x"),
	}
	tests := []struct {
		body string
		want []string // "line target"
	}{
		{"[[feedback_go_tests]] [[feedback-go-tests]] [[go-tests]] [[Go Tests]] [[feedback_go_tests.md]]", nil},
		{"[[deploy-staging|how]] [[deploy-staging#when]] [[Deploy: Staging]] [[team/rota]] [[rota]] [[한글-이름]]", nil},
		{"[[MEMORY]] [[MEMORY.md]] [m](MEMORY.md) [[logs/2026-01-01]] [l](logs/2026/01/x.md) [[notes.txt]] [[#below]] [a](#below)", nil},
		{"[r](team/rota.md) [o](../README.md) [u](https://x.org/gone.md) [d](docs/) [i](pic.png) ![[pic.png]](x.png)", nil},
		{"`[[gone]]` ``[[gone]]`` \\[[gone]]\n\n```\n[[gone]]\n```\n~~~md\n[[gone]]", nil},
		{"if [[ -f x ]]; then [[1]], [[1, 2], [3, 4]] [[$X]] [[a=b]] [[]] [[|x]] [[...]] [[x]](y)", nil},
		{"\n[[gone]] [[gone]] and [[ Gone ]]\n[[gone#part|text]] [g](gone.md \"title\")", []string{"8 gone", "9 gone.md"}},
		{"```\nx\n```\n[[deploy-stagin]] and [[未来]]", []string{"10 deploy-stagin", "10 未来"}},
		{strings.Repeat("[[gone]] ", 100) + "[[", []string{"7 gone"}},
	}
	for _, test := range tests {
		s := snapshotOf(t, files)
		s.Other = []memory.Other{{Path: "notes.txt"}}
		s.Topics[mustName(t, "a.md")] = memory.ParseTopic([]byte(memo("a", memory.TypeProject, test.body)))
		var got []string
		for _, f := range only(Standing(s, nil, ruleTime), "wiki-link") {
			got = append(got, fmt.Sprintf("%d %s", f.Line, f.subject))
			if f.Severity != Info || f.Hint == "" {
				t.Errorf("%+v", f)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.body, got, test.want)
		}
		s.Limited = true
		if f := only(Standing(s, nil, ruleTime), "wiki-link"); len(f) > 0 {
			t.Errorf("%q: found in a directory that was not wholly looked at", test.body)
		}
	}
}

// TestWikiLinksAreMany checks that one file does not drown the rest.
func TestWikiLinksAreMany(t *testing.T) {
	var body strings.Builder
	for i := range 50 {
		fmt.Fprintf(&body, "[[gone_%d]]\n", i)
	}
	f := only(Standing(snapshotOf(t, map[string]string{"a.md": memo("a", memory.TypeProject, body.String())}), nil, ruleTime), "wiki-link")
	counted := slices.ContainsFunc(f, func(f Finding) bool { return strings.Contains(f.Message, "30 more") })
	if len(f) != maxPlaces+1 || !counted {
		t.Errorf("%d findings: %+v", len(f), f)
	}
}

// FuzzWikiLink holds that a text without brackets has no finding, that fencing a text silences it, and
// that no finding names what its line does not hold.
func FuzzWikiLink(f *testing.F) {
	f.Add("[[gone]] [x](y.md) `[[c]]` [[a|b]] [[a#b]]")
	f.Add("```\n[[a]]\n~~~\n[[\x00\xff]]\r\n[[字]]")
	f.Fuzz(func(t *testing.T, body string) {
		look := func(body string) []Finding {
			s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{mustName(t, "a.md"): memory.ParseTopic([]byte("---\n---\n" + body))}}
			return only(Standing(s, nil, ruleTime), "wiki-link")
		}
		found := look(body)
		if !slices.Equal(found, look(body)) {
			t.Fatal("not the same twice")
		}
		if len(found) > 0 && !strings.Contains(body, "[") {
			t.Fatalf("found %+v", found)
		}
		lines := strings.Split("---\n---\n"+body, "\n")
		for _, f := range found {
			if f.Line < 1 || f.Line > len(lines) || !strings.Contains(lines[f.Line-1], "](") && !strings.Contains(lines[f.Line-1], f.subject) {
				t.Fatalf("line %d does not hold it: %+v", f.Line, f)
			}
		}
		fence := strings.Repeat("`", 3+strings.Count(body, "`"))
		if found := look(fence + "\n" + body + "\n" + fence); len(found) > 0 {
			t.Fatalf("found in code: %+v", found)
		}
	})
}
