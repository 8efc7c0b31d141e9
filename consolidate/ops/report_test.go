package ops

import "testing"

func TestCounts(t *testing.T) {
	for want, n := range map[string]Counts{
		"tidied the frontmatter of 2 memories":   {Tidied: 2, Index: true},
		"improved 1 memory":                      {Updated: 1, Tidied: 2},
		"created 9 memories":                     {Created: 9, Index: true},
		"created 1 memory, removed 2":            {Created: 1, Deleted: 2},
		"improved 3 memories (1 new), removed 2": {Created: 1, Updated: 2, Deleted: 2},
		"removed 1 memory":                       {Deleted: 1},
		"improved the index":                     {Index: true},
		"changed nothing":                        {},
	} {
		if got := n.String(); got != want {
			t.Errorf("%+v is %q, want %q", n, got, want)
		}
	}
}
