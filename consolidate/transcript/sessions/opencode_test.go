package sessions

import (
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// A listed collection counts how often it is asked.
type listed struct {
	said.Collection
	asked int
}

func (c *listed) List(time.Time) ([]said.File, said.Skipped, error) {
	c.asked++
	return []said.File{{ID: "ses_1"}}, nil, nil
}

// Which sessions of a collection are gone is known by one look at it, however many are kept.
func TestGone(t *testing.T) {
	home := t.TempDir()
	s := Open(Options{Roots: []string{fixture.Root}, Homes: []said.HostHome{{Format: &host.Find("opencode").Sessions[0].Format, Home: home}}})
	c := &listed{}
	database := filepath.Join(home, "opencode.db")
	s.collection(database, func(string, func([]string) bool) said.Collection { return c })
	gone := s.Gone()
	for range 3 {
		if gone(filepath.Join(database, "ses_1")) || !gone(filepath.Join(database, "ses_2")) {
			t.Error("ses_1 is there, ses_2 is not")
		}
	}
	if c.asked != 1 {
		t.Errorf("asked %d times", c.asked)
	}
}
