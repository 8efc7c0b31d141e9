package tools

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/consolidate/transcript/sessions"
)

// A page of which nothing can be read any more is rendered, and says so.
func TestUnreadablePage(t *testing.T) {
	text := "00000001-000 2026-11-16 claude-code on main\n:1 [cannot be read any more]\n"
	failed := []listing.Failure{{Session: sessions.Session{ID: "s\u202e"}, Err: errors.New("is\na directory")}}
	got := renderPage(listing.Page{Number: 1, Text: text, Of: 1, List: &listing.List{Sessions: 1, Older: 2, Failed: failed}}, time.Unix(0, 0).UTC())
	for _, want := range []string{text, "page 1, 0 of 1 session, 0 of 1 utterance; 2 older sessions are not listed", "1 session could not be read (x", "this was the last page"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
