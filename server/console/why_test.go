package console

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/state"
)

// The sources are in the order in which they were said, whatever the order of their citation.
func TestRenderWhy(t *testing.T) {
	t.Parallel()
	said := func(id string, hour int) provenance.Origin {
		return provenance.Origin{Words: state.Words{Source: id, Said: noon.Add(time.Duration(hour) * time.Hour), Speaker: "user", Text: "x"}}
	}
	got := renderWhy(provenance.Why{Path: "a.md", Sources: []provenance.Origin{said("s:2", 2), said("s:3", 3), said("s:1", 1)}}, time.UTC, false)
	var order []int
	for _, id := range []string{"[s:1]", "[s:2]", "[s:3]"} {
		order = append(order, strings.Index(got, id))
	}
	if order[0] < 0 || order[0] > order[1] || order[1] > order[2] {
		t.Errorf("got\n%s", got)
	}
}
