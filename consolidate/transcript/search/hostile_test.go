package search

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dream-mcp/testdata/fixture"
)

// Names that are longer than any path are not kept, each by itself.
func TestHugeNames(t *testing.T) {
	f := fixture.Talk(1)
	for n := range 50 {
		f.CWD = fixture.Root + strings.Repeat(fmt.Sprint("/", n), 5_000)
		f.UserWith(fmt.Sprint("a lamp ", n), fixture.Fields{"gitBranch": f.CWD, "uuid": f.CWD, "sessionId": f.CWD})
	}
	f.CWD = fixture.Root
	f.User("the last lamp")
	s := withCache(t, store(t, f))
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 51 || r.Hits[0].CWD != fixture.Root || r.Hits[1].CWD != "" {
		t.Errorf("%+v", r)
	}
	s.Close()
	if stat, err := os.Stat(s.Cache); err != nil || stat.Size() > 2<<20 {
		t.Errorf("%d bytes, %v", stat.Size(), err)
	}
}
