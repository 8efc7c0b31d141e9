package host

import (
	"testing"

	"dream-mcp/consolidate/transcript/said"
)

// What one host injects is not typed there, and may be typed elsewhere.
func TestNotTyped(t *testing.T) {
	kept := func(text string) string { return text }
	for _, h := range List {
		if !h.Read() {
			continue
		}
		for _, begin := range h.Sessions.NotTyped {
			text := "\n" + begin + " and more"
			if got := said.TypedIn(text, h.Sessions.NotTyped, kept); got != "" {
				t.Errorf("%s: typed %q", h.ID, got)
			}
			if got := said.TypedIn(text, nil, kept); got != text {
				t.Errorf("typed %q of %q", got, text)
			}
		}
	}
}

// What is known of a host fits together.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range List {
		if h.ID == "" || h.Name == "" || seen[h.ID] || seen[h.Name] {
			t.Errorf("%q, %q", h.ID, h.Name)
		}
		seen[h.ID], seen[h.Name] = true, true
		if !h.Read() && !h.Configured() {
			t.Errorf("%s is of no use", h.ID)
		}
		if h.Read() && string(h.Sessions.Format.Host) != h.ID {
			t.Errorf("%s has the sessions of %s", h.ID, h.Sessions.Format.Host)
		}
	}
}
