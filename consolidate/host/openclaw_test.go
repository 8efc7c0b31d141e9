package host

import (
	"strings"
	"testing"
)

// Anybody may write to an OpenClaw: a text made of what the channel puts before a person's words is passed over in one go. Else
// sixteen mebibytes would take an hour.
func TestOpenClawHostile(t *testing.T) {
	for _, unit := range []string{"a (untrusted):\n\n", "System: [\n", "[Wed 2026-11-18 09:14] ", "Untrusted context (:\n```json\n\n```\n"} {
		text := strings.Repeat(unit, 16<<20/len(unit)) + "use tabs"
		if words := openClawTyped(text); words != "use tabs" {
			t.Errorf("of %q it leaves %.40q", unit, words)
		}
	}
	for text, want := range map[string]string{
		"[Wed 2026-11-18 09:14 America/Argentina/ComodRivadavia] hello": "hello",
		"[Wed 2026-11-18 09:14 UTC] [Wed 2026-11-18 09:15 UTC]  hello":  "hello",
		"[Wed 2026-11-18 09:14":                                           "[Wed 2026-11-18 09:14",
		"Sender (untrusted metadata):\nfrom: x\n\nhello":                  "hello",
		"Sender (untrusted metadata):\n\nhello":                           "hello",
		"Sender (untrusted metadata):\n```json\n{}\n```\n\nhello: [1] or": "hello: [1] or",
	} {
		if words := openClawTyped(text); words != want {
			t.Errorf("of %q it leaves %q, want %q", text, words, want)
		}
	}
}
