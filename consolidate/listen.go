package consolidate

import (
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/secret"
)

// Listen makes a store mask all credentials but those allowed.
func Listen(s *transcript.Store, allowed secret.Allowed) *transcript.Store {
	s.Mask = func(text string, from, to int) (string, int, int) {
		v := allowed.View(text)
		from, to = v.Shown(from, to)
		return v.Text, from, to
	}
	return s
}
