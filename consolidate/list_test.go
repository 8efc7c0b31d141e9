package consolidate

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
)

// A dream that listed one session, or a part, leaves the rest to the next, however long ago that was touched.
func TestListedInPart(t *testing.T) {
	for _, test := range []struct {
		name string
		r    ListRequest
		rest string
	}{
		{"one session", ListRequest{SinceLast: true, Session: "second00-1", Room: 1_000}, "the first word"},
		{"the first page", ListRequest{Limit: 1, Room: 1_000}, "the second word"},
		{"what the model said", ListRequest{Speakers: []transcript.Speaker{transcript.Assistant}, Room: 1_000}, "the first word the second word"},
		{"a time", ListRequest{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Limit: 1, Room: 1_000}, "the first word the second word"},
		{"all", ListRequest{Room: 1_000}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.say("first000-1", "the first word")
			w.say("second00-1", "the second word")
			w.now = time.Now().Add(time.Hour)
			p := w.open()
			if err := p.Begin(ctx, true, false); err != nil {
				t.Fatal(err)
			}
			if _, err := p.List(ctx, test.r); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Finalize(ctx, store.FinalizeRequest{}); err != nil {
				t.Fatal(err)
			}
			page, err := p.List(ctx, ListRequest{SinceLast: true, Room: 1_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range []string{"the first word", "the second word"} {
				if got, want := strings.Contains(page.Text, words), strings.Contains(test.rest, words); got != want {
					t.Errorf("%q is listed: %v, want %v:\n%s", words, got, want, page.Text)
				}
			}
		})
	}
}
