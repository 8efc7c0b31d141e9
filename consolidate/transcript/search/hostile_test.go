package search

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
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
	s := withDigests(t, store(t, f))
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 51 || r.Hits[0].CWD != fixture.Root || r.Hits[1].CWD != "" {
		t.Errorf("%+v", r)
	}
	files, _, err := s.Accepted(t.Context(), fixture.Start)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	d, err := s.digests().Fresh(t.Context(), files[0], new(atomic.Int64))
	size := 0
	for _, name := range d.Head.Strings {
		size += len(name)
	}
	if err != nil || size > 1<<20 {
		t.Errorf("%d bytes of names, %v", size, err)
	}
}
