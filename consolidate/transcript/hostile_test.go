package transcript

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A transcript in which every record joins one message takes no more memory than its digest may have.
func TestOneMessageOnEveryLine(t *testing.T) {
	f := talk(1).user("begin")
	for n := range 3 * maxParts {
		f.says("m1", words(fmt.Sprint("part ", n)))
	}
	path := filepath.Join(t.TempDir(), id(1)+".jsonl")
	overwrite(t, path, f.text())
	d := digested(t, path, nil)
	if len(d.rows) != 2 || strings.Count(d.said(1), "part ") != maxParts || d.head.Skipped[LongText] == 0 {
		t.Errorf("%d rows, skipped %v", len(d.rows), d.head.Skipped)
	}
	if open := d.head.Settled.State.Open; len(open.Words) != maxParts || len(open.Parts) > maxParts {
		t.Errorf("%d words of %d records are kept", len(open.Words), len(open.Parts))
	}

	f = talk(2).user("begin")
	for range 20 {
		f.says("m1", words(strings.Repeat("word ", maxText/50)))
	}
	overwrite(t, path, f.text())
	d = digested(t, path, nil)
	if n := len(d.said(1)); n < maxText/2 || n > maxText || d.head.Skipped[LongText] == 0 {
		t.Errorf("a message of %d bytes, skipped %v", n, d.head.Skipped)
	}
}

// Names that are longer than any path are not kept, each by itself.
func TestHugeNames(t *testing.T) {
	f := talk(1)
	for n := range 50 {
		f.cwd = root + strings.Repeat(fmt.Sprint("/", n), maxName)
		f.userWith(fmt.Sprint("a lamp ", n), fields{"gitBranch": f.cwd, "uuid": f.cwd, "sessionId": f.cwd})
	}
	f.cwd = root
	f.user("the last lamp")
	s := withDigests(t, store(t, f))
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 51 || r.Hits[0].CWD != root || r.Hits[1].CWD != "" {
		t.Errorf("%+v", r)
	}
	files, _, err := s.files(start)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if d, err := s.digests().fresh(t.Context(), s.making(), files[0], new(atomic.Int64)); err != nil || d.bytes() > 1<<20 {
		t.Errorf("%d bytes, %v", d.bytes(), err)
	}
}
