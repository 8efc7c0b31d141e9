package search

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

func codexPath(n int, folder string) string {
	return "codex/" + folder + "/rollout-2026-11-01T09-00-00-" + fixture.ID(n) + ".jsonl"
}

const someDay = "sessions/2026/11/01"

// foreignStore opens the project with all hosts' folders below one.
func foreignStore(t testing.TB) (s *Store, top string) {
	t.Helper()
	top = t.TempDir()
	s = Open(sessions.Options{
		Projects: filepath.Join(top, "claude"), Roots: []string{fixture.Root},
		Homes: []said.HostHome{{Format: &host.Find("codex").Sessions[0].Format, Home: filepath.Join(top, "codex")},
			{Format: &host.Find("gemini").Sessions[0].Format, Home: filepath.Join(top, "gemini")}, {Format: &host.Find("openclaw").Sessions[0].Format, Home: filepath.Join(top, "openclaw")}},
	})
	t.Cleanup(s.Close)
	return s, top
}

// all returns what is said in the sessions of a project, the oldest file first, as "host speaker: text".
func all(t testing.TB, s *Store) (lines []string) {
	t.Helper()
	kept, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(kept)
	for _, k := range kept {
		source, err := k.Open()
		if err != nil {
			t.Fatal(err)
		}
		var entries []*said.Entry
		r := said.NewReader(k, source.Lines(t.Context(), 1, 0, new(atomic.Int64)), func(u *said.Entry) error {
			entries = append(entries, u)
			return nil
		})
		r.Tools = func([]byte) bool { return true }
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		source.Close()
		slices.SortFunc(entries, func(a, b *said.Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
		for _, u := range entries {
			lines = append(lines, fmt.Sprintf("%s %s: %s", k.Host(), u.Speaker, u.Text))
		}
	}
	return lines
}

func TestCodex(t *testing.T) {
	s, top := foreignStore(t)
	fixture.Put(t, top, codexPath(1, someDay), fixture.CodexSession(fixture.ID(1), fixture.Root+"/cmd",
		fixture.CodexLineAt(4, "event_msg", fixture.Fields{"type": "user_message", "message": "<environment_context>lantern</environment_context>", "kind": "environment_context"}),
		fixture.CodexLineAt(4, "event_msg", fixture.Fields{"type": "user_message", "message": "# Context from my IDE setup:\n## Open tabs:\n- lantern.go\n\n## My request for Codex:\npaint it"}),
		fixture.CodexLineAt(5, "response_item", fixture.Fields{"type": "reasoning", "summary": []any{fixture.Fields{"type": "summary_text", "text": "lantern thought"}}}),
		fixture.CodexLineAt(6, "response_item", fixture.Fields{"type": "function_call", "name": "shell", "arguments": `{"command":["paint","--green"]}`, "call_id": "c1"}),
		fixture.CodexLineAt(7, "response_item", fixture.Fields{"type": "function_call_output", "call_id": "c1", "output": `{"output":"painted","metadata":{"exit_code":0}}`}),
		fixture.CodexLineAt(8, "response_item", fixture.Fields{"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"}),
		fixture.CodexLineAt(9, "response_item", fixture.Fields{"type": "custom_tool_call_output", "call_id": "c2", "output": []any{fixture.Fields{"type": "input_text", "text": "applied"}}}),
		fixture.CodexLineAt(10, "response_item", fixture.Fields{"type": "function_call", "name": "read_memory", "namespace": "mcp__dream__", "arguments": `{"paths":["lantern.md"]}`, "call_id": "c3"}),
		fixture.CodexLineAt(11, "response_item", fixture.Fields{"type": "function_call_output", "call_id": "c3", "output": "the memory of the lantern"}),
		fixture.CodexLineAt(12, "compacted", fixture.Fields{"message": "a lantern was painted", "replacement_history": []any{fixture.Fields{"type": "message", "role": "user", "content": "lantern again"}}}),
		`not json`, `{"timestamp":1,"type":[],"payload":"x"}`, `[1,2]`,
	), 1)
	fixture.Equal(t, "what was said", all(t, s), []string{
		"codex user: no, the lantern is green",
		"codex assistant: Green lantern it is.",
		"codex user: paint it",
		"codex tool: shell: command=paint\ncommand=--green",
		"codex tool: painted",
		"codex tool: apply_patch: input=*** Begin",
		"codex tool: applied",
	})
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || sessions[0].ID != "codex/"+fixture.ID(1) || sessions[0].Host != "codex" ||
		sessions[0].Branch != "trunk" {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	// An id is good for the words, their neighbours, and as a source.
	r := search(t, s, Query{Pattern: "paint it"})
	if len(r.Hits) != 1 || r.Hits[0].CWD != fixture.Root+"/cmd" {
		t.Fatalf("hits %+v", r.Hits)
	}
	u, err := s.Lookup(t.Context(), r.Hits[0].ID)
	if err != nil || u.Text != "paint it" || u.Source() != "codex/"+fixture.ID(1)+":8" {
		t.Errorf("lookup: %+v, %v", u, err)
	}
	turns, err := s.ContextOf(t.Context(), []string{r.Hits[0].ID}, 1)
	if err != nil || len(turns) != 2 || turns[0].Text != "Green lantern it is." {
		t.Errorf("turns %+v, %v", turns, err)
	}
	if r := search(t, s, Query{Pattern: "painted", Speakers: []said.Speaker{said.Tool}}); len(r.Hits) != 1 {
		t.Errorf("tools: %+v", r.Hits)
	}
	q := Query{Pattern: "p", Speakers: []said.Speaker{said.Tool}, Limit: 1}
	for n := 0; n < 4; n++ {
		r := search(t, s, q)
		if q.Cursor = r.Next; r.Matches != 4 || len(r.Hits) != 1 || r.Hits[0].CWD != fixture.Root+"/cmd" ||
			r.Hits[0].Branch != "trunk" || (r.Next == "") != (n == 3) {
			t.Errorf("page %d of what tools said: %+v", n, r)
		}
	}
	if r := search(t, s, Query{Pattern: "memory of"}); len(r.Hits) != 0 {
		t.Errorf("what our own tools answered: %+v", r.Hits)
	}
}

// What is another project's, a sub-agent's, a dream's, or nobody's, is not a session; a copy counts once.
func TestCodexSessions(t *testing.T) {
	s, top := foreignStore(t)
	fixture.Put(t, top, codexPath(1, someDay), fixture.CodexSession(fixture.ID(1), fixture.Root), 1)
	fixture.Put(t, top, codexPath(2, someDay), fixture.CodexSession(fixture.ID(2), "/home/dev/elsewhere"), 2)
	fixture.Put(t, top, codexPath(3, someDay), fixture.CodexSession(fixture.ID(3), fixture.Root+"house"), 3)
	fixture.Put(t, top, codexPath(4, someDay), strings.Replace(fixture.CodexSession(fixture.ID(4), fixture.Root), `"source":"cli"`, `"source":{"subagent":"review"}`, 1), 4)
	fixture.Put(t, top, codexPath(5, someDay), strings.ReplaceAll(fixture.CodexSession(fixture.ID(5), fixture.Root), "no, the lantern is green", said.DreamMarker+">lantern"), 5)
	fixture.Put(t, top, codexPath(6, someDay), fixture.CodexLineAt(0, "session_meta", fixture.Fields{"id": fixture.ID(6), "cwd": fixture.Root})+"\n", 6)
	fixture.Put(t, top, codexPath(7, "archived_sessions"), fixture.CodexSession(fixture.ID(7), fixture.Root), 7)
	fork := fixture.CodexSession(fixture.ID(1), fixture.Root,
		fixture.CodexLineAt(9, "event_msg", fixture.Fields{"type": "user_message", "message": "a lantern of the fork"}))
	fixture.Put(t, top, codexPath(8, someDay), fixture.CodexLineAt(8, "session_meta", fixture.Fields{"id": fixture.ID(8), "cwd": fixture.Root, "forked_from_id": fixture.ID(1)})+"\n"+fork, 8)
	fixture.Put(t, top, "codex/"+someDay+"/notes.jsonl", "{}", 9)
	fixture.Put(t, top, codexPath(9, someDay), strings.ReplaceAll(strings.Replace(fixture.CodexSession(fixture.ID(9), fixture.Root, fixture.CodexLineAt(9, "event_msg",
		fixture.Fields{"type": "item_completed", "item": fixture.Fields{"type": "UserMessage", "content": []any{fixture.Fields{"type": "text", "text": "an item of the lantern"}}}})),
		`"source":"cli"`, `"history_mode":"paginated"`, 1), "no, the lantern is green", "the lantern among others"), 10)
	n, err := s.Count(t.Context(), time.Time{}, 0)
	if err != nil || n != 4 {
		t.Errorf("%d sessions, %v", n, err)
	}
	_, skipped, _ := s.Sessions(t.Context(), time.Time{})
	if got, want := fmt.Sprint(skipped), "map[dreams:1 files that are not sessions:1 ghosts without an utterance:1 sessions of other projects:2 sub-agents:1]"; got != want {
		t.Errorf("skipped %s\nwant %s", got, want)
	}
	fixture.Equal(t, "hits", hits(search(t, s, Query{Pattern: "lantern", Speakers: []said.Speaker{said.User}})), []string{
		"a lantern of the fork", "an item of the lantern", "no, the lantern is green", "no, the lantern is green"})
	s.SetCurrent(fixture.ID(7))
	if n, _ := s.Count(t.Context(), time.Time{}, 0); n != 3 {
		t.Errorf("%d sessions beside the current one", n)
	}
	folders, err := s.Folders()
	if err != nil || len(folders) != 2 || folders[0].Host() != "codex" {
		t.Errorf("folders %+v, %v", folders, err)
	}
	s.Options.Roots = []string{"/home/dev/nowhere"}
	if folders, _ := s.Folders(); len(folders) != 0 {
		t.Errorf("folders of another project %+v", folders)
	}
}

// A folder of all projects is ours by its newest sessions, or by older ones that were counted.
func TestCodexFolderOfOthers(t *testing.T) {
	s, top := foreignStore(t)
	fixture.Put(t, top, codexPath(1, "sessions/2026/10/31"), fixture.CodexSession(fixture.ID(1), fixture.Root), 1)
	for n := 2; n < 40; n++ {
		fixture.Put(t, top, codexPath(n, someDay), fixture.CodexSession(fixture.ID(n), "/home/dev/elsewhere"), n)
	}
	for _, want := range []int{0, 1} {
		if folders, err := s.Folders(); err != nil || len(folders) != want {
			t.Errorf("folders %+v, %v; want %d", folders, err, want)
		}
		if n, err := s.Count(t.Context(), time.Time{}, 0); err != nil || n != 1 {
			t.Errorf("%d sessions, %v", n, err)
		}
	}
}

func TestOpenClaw(t *testing.T) {
	s, top := foreignStore(t)
	sender := "Sender (untrusted metadata):\n```json\n{\n  \"label\": \"lantern\"\n}\n```\n\n"
	file := "openclaw/agents/main/sessions/" + fixture.ID(1)
	fixture.Put(t, top, file+".jsonl", fixture.OpenClawSession(fixture.ID(1), fixture.Root,
		fixture.Speaks("user", fixture.Words(sender+"[Wed 2026-11-18 09:14 UTC] always light the lantern")),
		fixture.Speaks("user", fixture.Words("[Wed 2026-11-18 09:14 UTC] Conversation info (untrusted metadata):\n```json\n{}\n```\n\nThread starter (untrusted, for context):\nlantern\n\nlight it twice")),
		fixture.Speaks("user", fixture.Words("System: [2026-11-18 09:15:00 UTC] lantern connected")),
		fixture.Speaks("user", fixture.Words("System: [2026-11-18 09:15:00 UTC] lantern connected\n\nlight it thrice")),
		fixture.Speaks("user", fixture.Words("[Wed 2026-11-18 09:16 UTC] [Queued announce messages while agent was busy]\n\n---\nQueued #1\nA background task \"lantern\" just completed successfully.\n\nFindings:\nthe lantern is red")),
		fixture.Speaks("user", fixture.Words("[Wed 2026-11-18 09:16 UTC] A background task \"lantern\" just completed successfully.\n\nFindings:\nthe lantern is red")),
		fixture.Speaks("user", fixture.Words("[Queued messages while agent was busy]\n\n---\nQueued #1\n[Telegram Ann id:7 +3m 2026-11-18T09:16Z] light it slowly\n[message_id: 8]")),
		fixture.Speaks("user", fixture.Words("Read HEARTBEAT.md if it exists (lantern)")),
		fixture.Speaks("user", fixture.Words("[cron:11 lantern] look at the lantern")),
		fixture.Speaks("assistant", fixture.Fields{"type": "thinking", "thinking": "lantern"}, fixture.Words("Lit."),
			fixture.Fields{"type": "toolCall", "id": "c1", "name": "exec", "arguments": fixture.Fields{"command": "light"}}),
		fixture.Fields{"role": "toolResult", "toolCallId": "c1", "content": []any{fixture.Words("bright")}},
		fixture.Speaks("assistant", fixture.Words("HEARTBEAT_OK")),
		fixture.Fields{"role": "user", "content": "a bare (untrusted) word: [of mine] stays"},
	), 1)
	for _, ending := range []string{".jsonl.deleted.2026-11-18T09-14-03.000Z", ".jsonl.reset.2026-11-18T09-14-03.000Z"} {
		fixture.Put(t, top, file+ending, fixture.OpenClawSession(fixture.ID(1), fixture.Root, fixture.Speaks("user", fixture.Words("a gone lantern"))), 2)
	}
	fixture.Put(t, top, "openclaw/agents/main/sessions/"+fixture.ID(2)+"-topic-7.jsonl",
		fixture.OpenClawSession(fixture.ID(2), fixture.Root, fixture.Speaks("user", fixture.Words("a topic"))), 3)
	fixture.Put(t, top, "openclaw/agents/other/sessions/"+fixture.ID(3)+".jsonl",
		fixture.OpenClawSession(fixture.ID(3), "/home/dev/claw", fixture.Speaks("user", fixture.Words("another's lantern"))), 4)
	fixture.Put(t, top, "openclaw/agents/main/sessions/"+fixture.ID(4)+".jsonl", fixture.OpenClawSession(fixture.ID(4), fixture.Root, fixture.Speaks("user", fixture.Words("[cron:11 lantern] look")), fixture.Speaks("assistant", fixture.Words("I looked."))), 5)
	fixture.Equal(t, "what was said", all(t, s), []string{
		"openclaw user: always light the lantern",
		"openclaw user: light it twice",
		"openclaw user: light it thrice",
		"openclaw user: light it slowly",
		"openclaw assistant: Lit.",
		"openclaw tool: exec: command=light",
		"openclaw tool: bright",
		"openclaw user: a bare (untrusted) word: [of mine] stays",
		"openclaw user: a topic",
	})
	_, skipped, _ := s.Sessions(t.Context(), time.Time{})
	if skipped[said.Untyped] != 1 || skipped[said.OtherProject] != 1 {
		t.Errorf("skipped %v", skipped)
	}
	if r := search(t, s, Query{Pattern: "always light"}); len(r.Hits) != 1 || r.Hits[0].ID != "openclaw/"+fixture.ID(1)[:12]+":2" {
		t.Errorf("hits %+v", r.Hits)
	}
}

func TestGemini(t *testing.T) {
	s, top := foreignStore(t)
	chats := "gemini/tmp/lighthouse/chats/"
	fixture.Put(t, top, "gemini/tmp/lighthouse/.project_root", fixture.Root+"\n", 0)
	fixture.Put(t, top, chats+"session-2026-11-01T09-00-9f5659bb.jsonl", fixture.GeminiLogText, 1)
	sum := sha256.Sum256([]byte(fixture.Root))
	fixture.Put(t, top, "gemini/tmp/"+hex.EncodeToString(sum[:])+"/chats/session-2026-11-01T10-00-9f5659bb.json",
		"{\n  \"sessionId\": \"9f5659bb-0000\",\n  \"messages\": [\n    {\"id\": \"u1\", \"timestamp\": \"2026-11-01T09:00:01.000Z\", \"type\": \"user\", \"content\": \"never dim the beacon\"},\n    {\"id\": \"x9\", \"timestamp\": \"2026-11-01T10:00:01.000Z\", \"type\": \"user\", \"content\": \"an old beacon\"}\n  ]\n}\n", 2)
	fixture.Put(t, top, "gemini/projects.json", fixture.Marshal(fixture.Fields{"projects": fixture.Fields{fixture.Root + "/sub": "sub", "/home/dev/elsewhere": "liar"}}), 0)
	fixture.Put(t, top, "gemini/tmp/sub/chats/session-2026-11-01T11-00-aaaaaaaa.jsonl",
		strings.NewReplacer("never dim", "of a folder below:", "9f5659bb-0000", "aaaaaaaa-0000").Replace(fixture.GeminiLogText), 3)
	fixture.Put(t, top, "gemini/tmp/elsewhere/.project_root", "/home/dev/elsewhere", 0)
	fixture.Put(t, top, "gemini/tmp/elsewhere/chats/session-2026-11-01T11-00-bbbbbbbb.jsonl", fixture.GeminiLogText, 4)
	fixture.Put(t, top, chats+"session-2026-11-01T12-00-cccccccc.jsonl", strings.Replace(fixture.GeminiLogText, `"kind":"main"`, `"kind":"subagent"`, 1), 5)
	fixture.Put(t, top, chats+"parent/session-2026-11-01T12-00-dddddddd.jsonl", fixture.GeminiLogText, 6)
	got := all(t, s)
	fixture.Equal(t, "what was said", got[:6], []string{
		"gemini user: never dim the beacon",
		"gemini assistant: The beacon stays bright.",
		"gemini tool: run_shell_command: command=beacon <up>",
		"gemini tool: up & bright",
		"gemini user: /beacon dim it",
		"gemini user: never dim the beacon",
	})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 3 || skipped[said.Subagent] != 1 || sessions[0].ID != "gemini/2026-11-01T11-00-aaaaaaaa" &&
		sessions[1].ID != "gemini/2026-11-01T11-00-aaaaaaaa" {
		t.Errorf("sessions %+v, %v, %v", sessions, skipped, err)
	}
	if n, _ := s.Count(t.Context(), time.Time{}, 0); n != 2 {
		t.Errorf("%d sessions: the files of one count once", n)
	}
	s.SetCurrent("9f5659bb-0000")
	if n, _ := s.Count(t.Context(), time.Time{}, 0); n != 1 {
		t.Errorf("%d sessions beside the current one", n)
	}
	// One record in two files counts once, by whatever way it is found.
	for range 2 {
		r := search(t, s, Query{Pattern: "never dim"})
		if len(r.Hits) != 1 || r.Matches != 1 {
			t.Fatalf("hits %+v", r.Hits)
		}
		if u, err := s.Lookup(t.Context(), r.Hits[0].ID); err != nil || u.Text != "never dim the beacon" {
			t.Errorf("lookup %+v, %v", u, err)
		}
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r := search(t, s, Query{Pattern: "up & bright", Speakers: []said.Speaker{said.Tool}}); r.Matches != 2 {
		t.Errorf("tools of two sessions with the same ids: %+v", r)
	}
	// What is written again is read again.
	fixture.Put(t, top, chats+"session-2026-11-01T09-00-9f5659bb.jsonl", fixture.GeminiLogText+"\n"+`{"$set":{"messages":[{"id":"n1","timestamp":"2026-11-01T09:00:01.000Z","type":"user","content":"a checkpoint"}]}}`+"\n", 8)
	fixture.Equal(t, "after a checkpoint", hits(search(t, s, Query{Patterns: []string{"checkpoint", "/beacon"}, Session: "2026-11-01T09-00-9f5659bb"})),
		[]string{"a checkpoint"})
}

// Nobody else's files are followed or waited for.
func TestForeignFoldersAreHostile(t *testing.T) {
	s, top := foreignStore(t)
	other := t.TempDir()
	fixture.Put(t, other, "secret.jsonl", fixture.CodexSession(fixture.ID(1), fixture.Root), 1)
	if err := os.MkdirAll(filepath.Join(top, "codex", filepath.FromSlash(someDay)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, "secret.jsonl"), filepath.Join(top, filepath.FromSlash(codexPath(1, someDay)))); err != nil {
		t.Skip("NOT TESTED: links cannot be made here:", err)
	}
	if err := os.Symlink(other, filepath.Join(top, "codex", "sessions", "2025")); err != nil {
		t.Fatal(err)
	}
	fixture.Put(t, top, "gemini/tmp/x/.project_root", strings.Repeat("/", 1<<20), 0)
	fixture.Put(t, top, "gemini/projects.json", "{", 0)
	if got := all(t, s); len(got) != 0 {
		t.Errorf("%q", got)
	}
	huge := fixture.Put(t, top, "gemini/tmp/lighthouse/chats/session-2026-11-01T09-00-9f5659bb.json", "", 1)
	fixture.Put(t, top, "gemini/tmp/lighthouse/.project_root", fixture.Root, 0)
	if err := os.Truncate(huge, 100<<20); err != nil {
		t.Fatal(err)
	}
	if _, skipped, err := s.Sessions(t.Context(), time.Time{}); err != nil || skipped[said.Unreadable] != 1 {
		t.Errorf("skipped %v, %v", skipped, err)
	}
}

// BenchmarkCodex counts the sessions of a project among 10,000 of all projects, as a status does, and
// lists its folders: one in twenty is ours.
func BenchmarkCodex(b *testing.B) {
	s, top := foreignStore(b)
	for n := 1; n <= 10_000; n++ {
		cwd := fixture.Root
		if n%20 != 0 {
			cwd = "/home/dev/elsewhere"
		}
		fixture.Put(b, top, codexPath(n, fmt.Sprintf("sessions/2026/%02d/%02d", n%12+1, n/12%28+1)), fixture.CodexSession(fixture.ID(n), cwd), n)
	}
	for b.Loop() {
		if n, err := s.Count(b.Context(), fixture.Start.Add(9_000*time.Hour), 0); err != nil || n != 50 {
			b.Fatal(n, err)
		}
		if folders, err := s.Folders(); err != nil || len(folders) != 1 {
			b.Fatal(folders, err)
		}
	}
}
