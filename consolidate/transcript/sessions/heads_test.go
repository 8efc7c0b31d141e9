package sessions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dream-mcp/testdata/fixture"
)

// TestHeadsAreMaskedBeforeTheyAreCut: of a credential at the end of first words, not even its
// beginning is shown.
func TestHeadsAreMaskedBeforeTheyAreCut(t *testing.T) {
	const key = "key-9fK3xQ7vL2mZ8pR4tW6yB1nC"
	text := strings.Repeat("w", maxFirst-15) + " " + key + " and more"
	s := project(t, fixture.Talk(1).User(text))
	s.Mask = func(text string, from, to int) (string, int, int) {
		return strings.ReplaceAll(text, key, "[secret]"), from, to
	}
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	for _, session := range sessions {
		if shown := session.First; strings.Contains(shown, "key-") || !strings.Contains(shown, "[secret]") {
			t.Errorf("shown: %q", shown)
		}
	}
}

// The cache of heads is bounded, and does not empty itself.
func TestHeadCacheIsBounded(t *testing.T) {
	s := project(t, fixture.Talk(1).User("x"))
	for n := range maxHeads {
		s.heads[fmt.Sprint("/", n)] = cachedHead{}
	}
	if sessions, _, err := s.Sessions(t.Context(), time.Time{}); err != nil || len(sessions) != 1 || len(s.heads) != maxHeads {
		t.Errorf("%d sessions, %d heads, %v; want one session and %d heads", len(sessions), len(s.heads), err, maxHeads)
	}
}
