package search

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
)

// Of what was pasted, and of what a tool printed, a hit shows the lines of the match.
func TestFoldedExcerpt(t *testing.T) {
	var log strings.Builder
	for i := range 40 {
		fmt.Fprintf(&log, "2026-11-18 09:%02d:00 INFO lamp %d is lit\n", i, i)
	}
	for name, test := range map[string]struct {
		speaker           said.Speaker
		text, match, want string
	}{
		"beside": {said.User, "why is it dark?\n" + log.String() + "it was bright before", "dark", "why is it dark?\n[pasted: 40 lines]\nit was bright before"},
		"within": {said.User, "why is it dark?\n" + log.String() + "it was bright before", "lamp 7 ", "why is it dark?\n[pasted: 40 lines]\n2026-11-18 09:07:00 INFO lamp 7 is lit\nit was bright before"},
		"a tool": {said.Tool, log.String(), "lamp 39", "[log: 40 lines]\n2026-11-18 09:39:00 INFO lamp 39 is lit\n"},
		"across": {said.User, log.String() + "end", "3 is lit\n2026-11-18 09:04", "[pasted: 40 lines]\n2026-11-18 09:03:00 INFO lamp 3 is lit\n2026-11-18 09:04:00 INFO lamp 4 is lit\nend"},
		"none":   {said.User, "one\ntwo\nthree", "two", "one\ntwo\nthree"},
	} {
		start := strings.Index(test.text, test.match)
		got, from, to := folded(test.speaker, test.text, start, start+len(test.match))
		if got != test.want || got[from:to] != test.match {
			t.Errorf("%s: %q at %q, want %q", name, got, got[from:to], test.want)
		}
	}
}
