package ops

import "testing"

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
