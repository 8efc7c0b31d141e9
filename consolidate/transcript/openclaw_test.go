package transcript

import (
	"strings"
	"testing"
	"time"
)

// Anybody may write to an OpenClaw: a text made of what the channel puts before a person's words is passed over in one go. A
// mebibyte of it took fifteen seconds, and four times that sixteen times as long.
func TestOpenClawHostile(t *testing.T) {
	for _, unit := range []string{"a (untrusted):\n\n", "System: [\n", "[Wed 2026-11-18 09:14] ", "Untrusted context (:\n```json\n\n```\n"} {
		text := strings.Repeat(unit, 4<<20/len(unit)) + "use tabs"
		began := time.Now()
		if said := openClawTyped(text); said != "use tabs" {
			t.Errorf("of %q it leaves %.40q", unit, said)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q, repeated to %d bytes, takes %v", unit, len(text), took)
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
		if said := openClawTyped(text); said != want {
			t.Errorf("of %q it leaves %q, want %q", text, said, want)
		}
	}
}
