package rule

import (
	"strings"
	"testing"
)

func TestOversized(t *testing.T) {
	part := strings.Repeat("It is deployed by hand, from the branch main.\n", 100)
	s := snapshotOf(t, map[string]string{
		"a.md": memo("a", "project", part+part), "b.md": memo("b", "project", part+part), "c.md": memo("c", "project", part), "team/MEMORY.md": part + part,
	})
	found := only(Lint(s, nil, ruleTime), "oversized")
	if len(found) != 2 || found[0].Message != "this memory has 9 KB, and should have at most 8" {
		t.Errorf("%+v", found)
	}
}
