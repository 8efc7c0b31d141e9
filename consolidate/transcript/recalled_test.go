package transcript

import (
	"path/filepath"
	"testing"
	"time"
)

// What our hook showed the model is said by nobody, in any host, wherever the host puts it: before or after what was typed, or alone.
func TestRecalledIsNotSaid(t *testing.T) {
	shown := "<" + RecallTag + ">\nNotes.\n[lantern.md; feedback]\nthe lantern is red\n</" + RecallTag + ">"
	asGemini := "<hook_context>&lt;" + RecallTag + "&gt;\nthe lantern is red\n&lt;/" + RecallTag + "&gt;</hook_context>"
	turns := []string{shown + "\n\npaint it", "paint it\n\n" + shown, asGemini + "\n\npaint it", "paint it\n" + asGemini, shown, asGemini}
	paint := []string{"paint it", "paint it", "paint it", "paint it"}
	expect := func(t *testing.T, host Host, got []string, more ...string) {
		t.Helper()
		var want []string
		for _, text := range append(more, paint...) {
			want = append(want, string(host)+" user: "+text)
		}
		equal(t, "what was said", got, want)
	}
	t.Run("Claude Code", func(t *testing.T) {
		f := talk(1)
		for _, text := range turns {
			f.user(text)
		}
		f.attach(fields{"type": "hook_additional_context", "content": []string{shown}})
		equal(t, "what was said", said(t, f.text()), []string{"1 user: paint it", "2 user: paint it", "3 user: paint it", "4 user: paint it"})
	})
	t.Run("Codex", func(t *testing.T) {
		s, top := foreignStore(t)
		lines := []string{codexLineAt(4, "response_item", fields{"type": "message", "role": "developer", "content": []any{fields{"type": "input_text", "text": shown}}})}
		for _, text := range turns {
			lines = append(lines, codexLineAt(5, "event_msg", fields{"type": "user_message", "message": text}))
		}
		put(t, top, codexPath(1, someDay), codexSession(id(1), root, lines...), 1)
		got := all(t, s)
		expect(t, Codex, append(got[:1:1], got[2:]...), "no, the lantern is green")
	})
	t.Run("Gemini CLI", func(t *testing.T) {
		s, top := foreignStore(t)
		log := marshal(fields{"sessionId": "9f5659bb-0000", "kind": "main"}) + "\n"
		for i, text := range turns {
			log += marshal(fields{"id": id(i + 1), "type": "user", "timestamp": "2026-11-01T09:00:01.000Z", "content": []any{fields{"text": text}}}) + "\n"
		}
		put(t, top, "gemini/tmp/lighthouse/.project_root", root+"\n", 0)
		put(t, top, "gemini/tmp/lighthouse/chats/session-2026-11-01T09-00-9f5659bb.jsonl", log, 1)
		expect(t, Gemini, all(t, s))
	})
	t.Run("OpenClaw", func(t *testing.T) {
		s, top := foreignStore(t)
		var entries []fields
		for _, text := range turns {
			entries = append(entries, speaks("user", words(text)))
		}
		put(t, top, filepath.Join("openclaw/agents/main/sessions", id(1)+".jsonl"), openClawSession(id(1), root, entries...), 1)
		expect(t, OpenClaw, all(t, s))
	})
	t.Run("opencode", func(t *testing.T) {
		var messages []openCodeMessage
		for i, text := range turns {
			m := openCodeMessage{ID: id(i + 1), Role: "user", parts: []openCodePart{{Type: "text", Text: text}, {Type: "text", Text: shown, Synthetic: true}}}
			m.Time.Created = start.Add(time.Duration(i) * time.Second).UnixMilli()
			messages = append(messages, m)
		}
		equal(t, "what was said", said(t, string(openCodeLines(openCodeSession{}, messages, 0))), []string{"2 user: paint it", "4 user: paint it", "6 user: paint it", "8 user: paint it"})
	})
}
