package consolidate

import (
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory/secret"
)

// MaskCredentials makes a store mask all credentials but those allowed.
func MaskCredentials(s *search.Store, allowed secret.Allowed) *search.Store {
	s.Mask = func(text string, from, to int) (string, int, int) {
		v := allowed.View(text)
		from, to = v.Shown(from, to)
		return v.Text, from, to
	}
	s.MaskRules = allowed.Rules()
	return s
}
