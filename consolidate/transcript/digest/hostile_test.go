package digest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
)

// A transcript in which every record joins one message takes no more memory than its digest may have.
func TestOneMessageOnEveryLine(t *testing.T) {
	const parts = 10_000 // that a message is joined from
	f := fixture.Talk(1).User("begin")
	for n := range 3 * parts {
		f.Says("m1", fixture.Words(fmt.Sprint("part ", n)))
	}
	path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
	fixture.Overwrite(t, path, f.Text())
	d := digested(t, path, nil)
	if len(d.Rows) != 2 || strings.Count(d.Said(1), "part ") != parts || d.Head.Skipped[said.LongText] == 0 {
		t.Errorf("%d rows, skipped %v", len(d.Rows), d.Head.Skipped)
	}
	if open := d.Head.Settled.State.Open; len(open.Words) != parts || len(open.Parts) > parts {
		t.Errorf("%d words of %d records are kept", len(open.Words), len(open.Parts))
	}

	f = fixture.Talk(2).User("begin")
	for range 20 {
		f.Says("m1", fixture.Words(strings.Repeat("word ", said.MaxText/50)))
	}
	fixture.Overwrite(t, path, f.Text())
	d = digested(t, path, nil)
	if n := len(d.Said(1)); n < said.MaxText/2 || n > said.MaxText || d.Head.Skipped[said.LongText] == 0 {
		t.Errorf("a message of %d bytes, skipped %v", n, d.Head.Skipped)
	}
}
