package consolidate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// A session that begins twice within seconds has two hooks of ours, and the person is warned. Turns do end so soon one after
// the other.
func TestSeenTwice(t *testing.T) {
	for _, test := range []struct {
		name     string
		frequent bool
		wait     time.Duration
		again    bool
		warned   bool
	}{
		{"a start", false, 0, true, true},
		{"a start much later", false, time.Minute, false, false},
		{"the end of a turn", true, 2 * time.Second, true, false},
	} {
		w := newWorld(t)
		p := w.open()
		if p.Background.SeenRecently(context.Background(), "s", "event", test.frequent) || p.Background.SeenRecently(context.Background(), "another", "event", test.frequent) {
			t.Errorf("%s: the first of a session was heard before", test.name)
		}
		w.now = w.now.Add(test.wait)
		if again := p.Background.SeenRecently(context.Background(), "s", "event", test.frequent); again != test.again {
			t.Errorf("%s: heard again: %v", test.name, again)
		}
		s, err := p.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if warned := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "twice") }); warned != test.warned {
			t.Errorf("%s: %q", test.name, s.Warnings)
		}
	}
}
