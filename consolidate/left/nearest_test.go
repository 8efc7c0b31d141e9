package left

import (
	"testing"

	"dream-mcp/memory/related"
)

// Of what a change touches, the passages of the two nearest memories are named, however the pairs are ordered.
func TestNearest(t *testing.T) {
	var c Changed
	for _, p := range []struct {
		file  string
		line  int
		score float64
	}{{"a.md", 3, 0.2}, {"b.md", 3, 0.9}, {"c.md", 3, 0.1}, {"b.md", 7, 0.1}, {"d.md", 3, 0.5}, {"e.md", 3, 0.4}} {
		c.Beside = append(c.Beside, related.Pair{Hit: related.Hit{Passage: related.Passage{File: p.file, Line: p.line}, Score: p.score}})
	}
	got := ""
	for _, p := range c.Nearest() {
		got += p.Where() + " "
	}
	if got != "b.md:3 d.md:3 b.md:7 " {
		t.Errorf("the nearest are %s", got)
	}
}
