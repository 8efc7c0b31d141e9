package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
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

// Which sessions of a collection are gone is known by one look at it, however many digests there are.
func TestGone(t *testing.T) {
	home := t.TempDir()
	s := Open(Options{Roots: []string{fixture.Root}, Others: []said.Other{{Format: host.FormatOf("opencode"), Home: home}}})
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

// slow takes longer to list its only session than there is time to judge sessions.
type slow struct {
	listed
	session []byte
}

const judging = time.Second

func (c *slow) List(time.Time) ([]said.File, said.Skipped, error) {
	time.Sleep(judging + judging/10)
	return []said.File{{ID: "ses_1", Format: host.FormatOf("opencode"), Trust: said.Whole, Of: c}}, nil, nil
}

func (c *slow) Read(string) ([]byte, said.Status, error) {
	return c.session, said.Status{Size: int64(len(c.session))}, nil
}

// The time to judge sessions begins when they are listed.
func TestListingTakesNoTimeOfJudging(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	database := filepath.Join(home, "opencode.db")
	if err := os.WriteFile(database, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(Options{Roots: []string{fixture.Root}, Others: []said.Other{{Format: host.FormatOf("opencode"), Home: home}}})
	s.collection(database, func(string, func([]string) bool) said.Collection {
		return &slow{session: []byte(fixture.Talk(1).User("x").Text())}
	})
	if found, skipped, err := s.AcceptedWithin(t.Context(), time.Time{}, judging); len(found) != 1 || err != nil {
		t.Errorf("%d sessions, %v, %v", len(found), skipped, err)
	}
}
