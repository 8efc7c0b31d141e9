package said

import (
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/bench/fixture"
)

// What our hook showed the model is said by nobody, wherever the host puts it: before or after what was typed, or alone. How
// other hosts write it is tried where their sessions are searched.
func TestRecalledIsNotSaid(t *testing.T) {
	shown := "<" + RecallTag + ">\nNotes.\n[lantern.md; feedback]\nthe lantern is red\n</" + RecallTag + ">"
	asGemini := "<hook_context>&lt;" + RecallTag + "&gt;\nthe lantern is red\n&lt;/" + RecallTag + "&gt;</hook_context>"
	turns := []string{shown + "\n\npaint it", "paint it\n\n" + shown, asGemini + "\n\npaint it", "paint it\n" + asGemini, shown, asGemini}
	t.Run("Claude Code", func(t *testing.T) {
		f := fixture.Talk(1)
		for _, text := range turns {
			f.User(text)
		}
		f.Attach(fixture.Fields{"type": "hook_additional_context", "content": []string{shown}})
		fixture.Equal(t, "what was said", said(t, f.Text()), []string{"1 user: paint it", "2 user: paint it", "3 user: paint it", "4 user: paint it"})
	})
	t.Run("opencode", func(t *testing.T) {
		var messages []openCodeMessage
		for i, text := range turns {
			part := func(fields fixture.Fields) openCodePart { return openCodePart{data: Raw(fixture.Marshal(fields))} }
			m := openCodeMessage{
				id: fixture.ID(i + 1), role: Quoted("user"), created: fixture.Start.Add(time.Duration(i) * time.Second).UnixMilli(),
				parts: []openCodePart{part(fixture.Fields{"type": "text", "text": text}), part(fixture.Fields{"type": "text", "text": shown, "synthetic": true})},
			}
			messages = append(messages, m)
		}
		fixture.Equal(t, "what was said", said(t, string(openCodeLines(openCodeSession{}, messages, 0))),
			[]string{"2 user: paint it", "4 user: paint it", "6 user: paint it", "8 user: paint it"})
	})
}
