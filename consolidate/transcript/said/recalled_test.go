package said

import (
	"testing"

	"dream-mcp/testdata/fixture"
)

// What our hook showed the model is said by nobody, wherever the host puts it: before or after what was typed, or
// alone. How other hosts write it is tried where their sessions are searched.
func TestRecalledIsNotSaid(t *testing.T) {
	shown := "<" + RecallTag + ">\nNotes.\n[lantern.md; feedback]\nthe lantern is red\n</" + RecallTag + ">"
	asGemini := "<hook_context>&lt;" + RecallTag + "&gt;\nthe lantern is red\n&lt;/" + RecallTag + "&gt;</hook_context>"
	turns := []string{shown + "\n\npaint it", "paint it\n\n" + shown, asGemini + "\n\npaint it", "paint it\n" + asGemini, shown, asGemini}
	f := fixture.Talk(1)
	for _, text := range turns {
		f.User(text)
	}
	f.Attach(fixture.Fields{"type": "hook_additional_context", "content": []string{shown}})
	fixture.Equal(t, "what was said", said(t, f.Text()), []string{"1 user: paint it", "2 user: paint it", "3 user: paint it", "4 user: paint it"})
}
