package ops

import (
	"fmt"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	for want, n := range map[string]Counts{
		"frontmatter of 2 memories tidied":         {Tidied: 2, Index: true},
		"1 memory corrected":                       {Updated: 1, Tidied: 2},
		"9 memories created":                       {Created: 9, Index: true},
		"1 memory created, 2 removed":              {Created: 1, Deleted: 2},
		"1 memory created, 2 corrected, 2 removed": {Created: 1, Updated: 2, Deleted: 2},
		"1 memory removed":                         {Deleted: 1},
		"index updated":                            {Index: true},
		"nothing changed":                          {},
	} {
		if got := n.String(); got != want {
			t.Errorf("%+v is %q, want %q", n, got, want)
		}
	}
}

// TestAmbiguous names a few of many IDs, the newest first.
func TestAmbiguous(t *testing.T) {
	var ids []string
	for i := range 2_000 {
		ids = append(ids, fmt.Sprintf("20261118-%06d-abcdef", i))
	}
	err := Ambiguous("2026", ids)
	if said := err.Error(); len(said) > 400 || !strings.HasPrefix(said, `"2026" is the beginning of 2000 IDs: 20261118-001999-abcdef, `) || !strings.HasSuffix(said, "and 1990 more") {
		t.Errorf("%s", said[:min(len(said), 500)])
	}
}
