package consolidate

import (
	"slices"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/signal"
	"dream-mcp/memory/secret"
)

// classifier is the version of the rules of package signal. A digest of another version is built again.
const classifier = "signal-7"

// Listen makes a store classify utterances by package signal, and mask all credentials but those allowed.
func Listen(s *transcript.Store, allowed secret.Allowed) *transcript.Store {
	s.Mask = func(text string, from, to int) (string, int, int) {
		v := allowed.View(text)
		from, to = v.Shown(from, to)
		return v.Text, from, to
	}
	s.Classifier = classifier
	s.Classify = func(speaker transcript.Speaker, text string) uint16 {
		return uint16(signal.Of(string(speaker), text))
	}
	s.FindSignal = func(signals uint16, speaker transcript.Speaker, text string) (from, to int, ok bool) {
		for _, kind := range signal.Set(signals).Kinds() {
			if from, to, ok = signal.Find(kind, string(speaker), text); ok {
				return from, to, true
			}
		}
		return 0, 0, false
	}
	return s
}

// SignalBits returns the signals of one kind as a query takes them, and whether there is such a kind.
// Package signal numbers the bits of a set in the order of its kinds.
func SignalBits(kind signal.Kind) (uint16, bool) {
	i := slices.Index(signal.Kinds(), kind)
	return 1 << max(i, 0), i >= 0
}
