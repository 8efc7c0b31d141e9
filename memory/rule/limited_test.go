package rule

import (
	"testing"

	"dream-mcp/memory"
)

// Of a directory that was not looked at whole, nothing is said to be missing.
func TestLimitedSnapshot(t *testing.T) {
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}, Index: memory.ParseIndex([]byte("- [a](a.md) — a\n"))}
	if findings := Standing(s, nil, ruleTime); len(findings) != 1 || findings[0].Rule != "dangling" {
		t.Errorf("found %v, want one dangling line", findings)
	}
	s.Limited = true
	if findings := Standing(s, nil, ruleTime); len(findings) != 0 {
		t.Errorf("found %v, want nothing", findings)
	}
}
