package rule

import "testing"

func TestConflictCopy(t *testing.T) {
	for name, want := range map[string]bool{
		"deploy.sync-conflict-20260102-101500-ABCDEFG.md": true,
		"deploy (conflicted copy 2026-01-02).md":          true,
		"deploy (Mira's conflicted copy 2026-01-02).md":   true,
		"deploy (case conflict 1).md":                     true,
		"deploy_conflict-20260102-101500.md":              true,
		"merge_conflicts.md":                              false,
		"feedback_ledger_on_conflict.md":                  false,
		"sql-on-conflict-do-nothing.md":                   false,
		"feedback_conflicted.md":                          false,
	} {
		if got := conflictCopy.MatchString(name); got != want {
			t.Errorf("%s is a copy: %v, want %v", name, got, want)
		}
	}
}
