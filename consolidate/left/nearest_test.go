package left

import (
	"testing"

	"dream-mcp/memory/related"
)

// Of what a change touches, the passages of the nearest memory are read, and of the next one with another value,
// however the pairs are ordered.
func TestNearest(t *testing.T) {
	var c Changed
	for _, p := range []struct {
		file  string
		line  int
		score float64
		other bool
	}{{"a.md", 3, 0.2, true}, {"b.md", 3, 0.9, false}, {"c.md", 3, 0.1, true}, {"b.md", 7, 0.1, false}, {"d.md", 3, 0.5, false}, {"e.md", 3, 0.4, true}} {
		c.Beside = append(c.Beside, related.Pair{Hit: related.Hit{Passage: related.Passage{File: p.file, Line: p.line}, Score: p.score}, OtherValue: p.other})
	}
	got := ""
	for _, p := range c.Nearest() {
		got += p.Where() + " "
	}
	if got != "b.md:3 e.md:3 b.md:7 " {
		t.Errorf("the nearest are %s", got)
	}
}
