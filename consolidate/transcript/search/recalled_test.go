package search

import (
	"path/filepath"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// What our hook showed the model is said by nobody, in any host, wherever the host puts it: before or after what was
// typed, or alone.
func TestRecalledIsNotFound(t *testing.T) {
	shown := "<" + said.RecallTag + ">\nNotes.\n[lantern.md; feedback]\nthe lantern is red\n</" + said.RecallTag + ">"
	asGemini := "<hook_context>&lt;" + said.RecallTag + "&gt;\nthe lantern is red\n&lt;/" + said.RecallTag + "&gt;</hook_context>"
	turns := []string{shown + "\n\npaint it", "paint it\n\n" + shown, asGemini + "\n\npaint it", "paint it\n" + asGemini, shown, asGemini}
	paint := []string{"paint it", "paint it", "paint it", "paint it"}
	expect := func(t *testing.T, host said.HostID, got []string, more ...string) {
		t.Helper()
		var want []string
		for _, text := range append(more, paint...) {
			want = append(want, string(host)+" user: "+text)
		}
		fixture.Equal(t, "what was said", got, want)
	}
	t.Run("Codex", func(t *testing.T) {
		s, top := foreignStore(t)
		lines := []string{fixture.CodexLineAt(4, "response_item",
			fixture.Fields{"type": "message", "role": "developer", "content": []any{fixture.Fields{"type": "input_text", "text": shown}}})}
		for _, text := range turns {
			lines = append(lines, fixture.CodexLineAt(5, "event_msg", fixture.Fields{"type": "user_message", "message": text}))
		}
		fixture.Put(t, top, codexPath(1, someDay), fixture.CodexSession(fixture.ID(1), fixture.Root, lines...), 1)
		got := all(t, s)
		expect(t, "codex", append(got[:1:1], got[2:]...), "no, the lantern is green")
	})
	t.Run("Gemini CLI", func(t *testing.T) {
		s, top := foreignStore(t)
		log := fixture.Marshal(fixture.Fields{"sessionId": "9f5659bb-0000", "kind": "main"}) + "\n"
		for i, text := range turns {
			log += fixture.Marshal(fixture.Fields{"id": fixture.ID(i + 1), "type": "user", "timestamp": "2026-11-01T09:00:01.000Z", "content": []any{fixture.Fields{"text": text}}}) + "\n"
		}
		fixture.Put(t, top, "gemini/tmp/lighthouse/.project_root", fixture.Root+"\n", 0)
		fixture.Put(t, top, "gemini/tmp/lighthouse/chats/session-2026-11-01T09-00-9f5659bb.jsonl", log, 1)
		expect(t, "gemini", all(t, s))
	})
	t.Run("OpenClaw", func(t *testing.T) {
		s, top := foreignStore(t)
		var entries []fixture.Fields
		for _, text := range turns {
			entries = append(entries, fixture.Speaks("user", fixture.Words(text)))
		}
		fixture.Put(t, top, filepath.Join("openclaw/agents/main/sessions", fixture.ID(1)+".jsonl"),
			fixture.OpenClawSession(fixture.ID(1), fixture.Root, entries...), 1)
		expect(t, "openclaw", all(t, s))
	})
}
