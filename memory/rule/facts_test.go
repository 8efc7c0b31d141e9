package rule

import (
	"slices"
	"testing"

	"dream-mcp/memory"
)

func TestLost(t *testing.T) {
	body := func(text string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: x\ndescription: y\ntype: project\n---\n" + text + "\n"))
	}
	for _, test := range []struct {
		name, merged, survivor string
		want                   []string
	}{
		{"nothing", "", "", nil},
		{"the same", "Deploy by `make ship` on port 8443, never on Fridays.", "Deploy by `make ship` on port 8443, never on Fridays.", nil},
		{"a number", "It listens on 8443.", "It listens on 8444.", []string{"8443"}},
		{"a part of a number", "Version 1.5 is used, of 11.5 and 5.", "Version 11.5 is used.", []string{"1.5", "5"}},
		{"a date and a time", "On 2026-11-18 at 10:30 sharp.", "On 2026-11-18 at ten.", []string{"10:30"}},
		{"code", "Run `go test ./tools`.", "Run `go test`.", []string{"go test ./tools"}},
		{"code without its marks", "Run `go test`.", "Run go test at night.", nil},
		{"a block of code", "```sh\nmake ship\n# 12\n```\nthen wait", "then wait", []string{"make ship", "# 12"}},
		{"names", "The cranes belong to Mareike, the log is in `x` and config/a.yml, see [[tide-table]].", "Whose `x` is it?", []string{"tide-table", "Mareike", "config/a.yml"}},
		{"a first word is no name", "Cranes are tall.", "They are tall.", nil},
		{"nouns are not names", "Der Kran und die Fähre, das Boot ist alt.", "alt", nil},
		{"a negation", "Never deploy on a Friday evening.", "Deploy on a Friday evening.", []string{"Never deploy on a Friday evening"}},
		{"a negation in other words", "Never deploy on a Friday evening.", "Do not deploy on Friday evenings.", nil},
		{"a condition", "Deploy at once, unless the harbour is closed.", "Deploy at once; never when the harbour is closed.", []string{"Deploy at once, unless the harbour is closed"}},
		{"other scripts", "数据库不要重置。포트는 8443, 금요일에는 배포하지 않는다.", "数据库要重置。", []string{"数据库不要重置", "8443, 금요일에는 배포하지 않는다"}},
		{"the other's name", "As in merged.md and [[merged]].", "As here.", nil},
	} {
		lost := Lost(map[memory.Name]*memory.Topic{mustName(t, "merged.md"): body(test.merged)}, mustName(t, "into.md"), body(test.survivor))
		var got []string
		for _, f := range lost {
			got = append(got, f.Text)
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(test.want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}
