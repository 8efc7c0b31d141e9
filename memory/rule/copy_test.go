package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// Copies that stand are found, each once, and what only has the same form is not.
func TestCopies(t *testing.T) {
	log := func(days int, more string) string {
		var b strings.Builder
		for i := range days {
			fmt.Fprintf(&b, "- Day %d: crane %d lifted %d loads. Nobody was hurt.\n", i, i*7%5, 100+i*13)
		}
		return memo("log", memory.TypeProject, b.String()+more)
	}
	form := func(name, team string) string {
		return memo(name, memory.TypeProject, "Owner: team "+team+", reachable in the channel of the team. Deploy: `make deploy S="+name+"`, by hand on Tuesdays. Database: Postgres, schema "+name+".")
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"the same text under three names", map[string]string{"a.md": log(10, ""), "b.md": log(10, ""), "c.md": log(10, "")}, []string{`b.md: "a.md" holds the same text`, `c.md: "a.md" holds the same text`}},
		{"the beginning of a longer one", map[string]string{"a.md": log(10, ""), "b.md": log(12, "")}, []string{`a.md: "b.md" holds 100 % of it, word for word`}},
		{"but for a line", map[string]string{"a.md": log(20, "- The end.\n"), "b.md": log(20, "- It goes on, with a line that is longer.\n")}, []string{`a.md: "b.md" holds 99 % of it, word for word`}},
		{"half of it", map[string]string{"a.md": log(10, strings.Repeat("Other words of it, quite another. ", 20)), "b.md": log(30, "")}, nil},
		{"two that name each other", map[string]string{"a.md": log(10, "See [[b]].\n"), "b.md": log(12, "")}, nil},
		{"a link that both have", map[string]string{"a.md": log(10, "See [[b]].\n"), "b.md": log(12, "See [[b]].\n")}, []string{`a.md: "b.md" holds 100 % of it, word for word`}},
		{"filled in alike", map[string]string{"service_mail.md": form("mail", "Talk"), "service_shop.md": form("shop", "Till")}, nil},
		{"short", map[string]string{"a.md": memo("a", memory.TypeProject, "Port 8443."), "b.md": memo("b", memory.TypeProject, "Port 8443.")}, nil},
		{"the index of a folder", map[string]string{"team/MEMORY.md": log(10, ""), "b.md": log(10, "")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range only(Lint(snapshotOf(t, test.files), nil, ruleTime), "near-duplicate") {
				got = append(got, f.File+": "+f.Message)
				if f.Severity != Warning {
					t.Errorf("%+v", f)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
