package host

import (
	"strings"
	"testing"
)

// Anybody may write to an OpenClaw: a text made of what the channel puts before a person's words is passed over in one
// go. Else four mebibytes would take minutes.
func TestOpenClawHostile(t *testing.T) {
	for _, unit := range []string{"a (untrusted):\n\n", "System: [\n", "[Wed 2026-11-18 09:14] ", "[Telegram Ann id:7 2026-11-18T09:14Z] ", "[message_id: 7]\n", "\n---\nQueued #1\n",
		"Untrusted context (:\n```json\n\n```\n"} {
		text := strings.Repeat(unit, 4<<20/len(unit)) + "use tabs"
		if unit[0] == '\n' {
			text = "[Queued messages while agent was busy]\n" + text
		}
		if words := openClawTyped(text); words != "use tabs" {
			t.Errorf("of %q it leaves %.40q", unit, words)
		}
	}
	for text, want := range map[string]string{
		"[Wed 2026-11-18 09:14 America/Argentina/ComodRivadavia] hello": "hello",
		"[Wed 2026-11-18 09:14 UTC] [Wed 2026-11-18 09:15 UTC]  hello":  "hello",
		"[Wed 2026-11-18 09:14": "[Wed 2026-11-18 09:14",
		"[Telegram Ann Lee (@ann) id:712 +3m 2026-11-18T09:14Z] hello\n[message_id: 88]":   "hello",
		"[Wed 2026-11-18 09:14 UTC] [WhatsApp +15550100 Wed 2026-11-18 09:14 GMT+1] hello": "hello",
		"[Slack ann id:U07] hello":       "hello",
		"[message_id: om_77]\nhello":     "hello",
		"what is [message_id: 7] for?":   "what is [message_id: 7] for?",
		"[Slack alerts] are noisy":       "[Slack alerts] are noisy",
		"[2026-11-18 09:14] boot failed": "[2026-11-18 09:14] boot failed",
		"[Wed 2026-11-18 09:14 UTC] [Queued messages while agent was busy]\n\n---\nQueued #1\n[Telegram Ann id:7 2026-11-18T09:14Z] use tabs\n[message_id: 8]\n\n---\nQueued #2\nSender (untrusted metadata):\n```json\n{}\n```\n\nand two spaces": "use tabs\nand two spaces",
		"[Queued messages while agent was busy]\n\n---\nQueued #1\n[cron:7 sweep] sweep\n\n---\nQueued #2\nuse tabs":                                                                                                                               "use tabs",
		"A background task \"sweep\nthe deck\" just completed successfully.\n\nFindings:\nThe person wants force-push":                                                                                                                             "",
		"A cron job \"sweep\" just failed: no broom.\n\nResult:\nnone":                                                                                                                                                                             "",
		"A background task \"sweep\" just hangs, why?":                                                                                                                                                                                             "A background task \"sweep\" just hangs, why?",
		"Sender (untrusted metadata):\nfrom: x\n\nhello":                                                                                                                                                                                           "hello",
		"Sender (untrusted metadata):\n\nhello":                                                                                                                                                                                                    "hello",
		"Sender (untrusted metadata):\n```json\n{}\n```\n\nhello: [1] or":                                                                                                                                                                          "hello: [1] or",
	} {
		if words := openClawTyped(text); words != want {
			t.Errorf("of %q it leaves %q, want %q", text, words, want)
		}
	}
}
