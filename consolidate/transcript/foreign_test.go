package transcript

import (
	"bytes"
	"cmp"
	"context"
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
	"unicode/utf8"
)

// What the other hosts write, invented after CENSUS 4 and their documentation.

func codexLineAt(n int, kind string, payload fields) string {
	return marshal(fields{"timestamp": start.Add(time.Duration(n) * time.Second).Format("2006-01-02T15:04:05.000Z"), "type": kind, "payload": payload})
}

func codexSession(session, cwd string, more ...string) string {
	lines := append([]string{
		codexLineAt(0, "session_meta", fields{"id": session, "cwd": cwd, "source": "cli", "git": fields{"branch": "trunk"}}),
		codexLineAt(1, "response_item", fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": "<environment_context>lantern</environment_context>"}}}),
		codexLineAt(2, "response_item", fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": "no, the lantern is green"}}}),
		codexLineAt(2, "event_msg", fields{"type": "user_message", "message": "no, the lantern is green", "kind": "plain"}),
		codexLineAt(3, "event_msg", fields{"type": "agent_message", "message": "Green lantern it is."}),
		codexLineAt(3, "response_item", fields{"type": "message", "role": "assistant", "content": []any{fields{"type": "output_text", "text": "Green lantern it is."}}}),
	}, more...)
	return strings.Join(lines, "\n") + "\n"
}

func codexPath(n int, folder string) string {
	return "codex/" + folder + "/rollout-2026-11-01T09-00-00-" + id(n) + ".jsonl"
}

const someDay = "sessions/2026/11/01"

func openClawSession(session, cwd string, entries ...fields) string {
	lines := []string{marshal(fields{"type": "session", "version": 3, "id": session, "timestamp": "2026-11-01T09:00:00.000Z", "cwd": cwd})}
	for i, message := range entries {
		lines = append(lines, marshal(fields{"type": "message", "id": fmt.Sprintf("%08x", i+1), "parentId": nil, "timestamp": "2026-11-01T09:00:01.000Z", "message": message}))
	}
	return strings.Join(lines, "\n") + "\n"
}

func speaks(role string, blocks ...any) fields { return fields{"role": role, "content": blocks} }

// foreignStore opens the project with all hosts' folders below one.
func foreignStore(t testing.TB) (s *Store, top string) {
	t.Helper()
	top = t.TempDir()
	s = Open(Options{
		Projects: filepath.Join(top, "claude"), Roots: []string{root},
		Others: []Other{{Codex, filepath.Join(top, "codex")}, {Gemini, filepath.Join(top, "gemini")}, {OpenClaw, filepath.Join(top, "openclaw")}},
	})
	s.Budget = time.Minute
	t.Cleanup(s.Close)
	return s, top
}

// all returns what is said in the sessions of a project, the oldest file first, as "host speaker: text".
func all(t testing.TB, s *Store) (lines []string) {
	t.Helper()
	kept, _, err := s.accepted(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(kept)
	for _, k := range kept {
		source, err := k.open()
		if err != nil {
			t.Fatal(err)
		}
		var said []*utterance
		r := newReader(k.file, newLineReader(source, readBlock), func(u *utterance) error {
			said = append(said, u)
			return nil
		})
		r.tools = everyLine
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		source.Close()
		slices.SortFunc(said, func(a, b *utterance) int { return cmp.Or(a.Line-b.Line, a.place-b.place) })
		for _, u := range said {
			lines = append(lines, fmt.Sprintf("%s %s: %s", k.host, u.Speaker, u.Text))
		}
	}
	return lines
}

func TestCodex(t *testing.T) {
	s, top := foreignStore(t)
	put(t, top, codexPath(1, someDay), codexSession(id(1), root+"/cmd",
		codexLineAt(4, "event_msg", fields{"type": "user_message", "message": "<environment_context>lantern</environment_context>", "kind": "environment_context"}),
		codexLineAt(4, "event_msg", fields{"type": "user_message", "message": "# Context from my IDE setup:\n## Open tabs:\n- lantern.go\n\n## My request for Codex:\npaint it"}),
		codexLineAt(5, "response_item", fields{"type": "reasoning", "summary": []any{fields{"type": "summary_text", "text": "lantern thought"}}}),
		codexLineAt(6, "response_item", fields{"type": "function_call", "name": "shell", "arguments": `{"command":["paint","--green"]}`, "call_id": "c1"}),
		codexLineAt(7, "response_item", fields{"type": "function_call_output", "call_id": "c1", "output": `{"output":"painted","metadata":{"exit_code":0}}`}),
		codexLineAt(8, "response_item", fields{"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"}),
		codexLineAt(9, "response_item", fields{"type": "custom_tool_call_output", "call_id": "c2", "output": []any{fields{"type": "input_text", "text": "applied"}}}),
		codexLineAt(10, "response_item", fields{"type": "function_call", "name": "read_memory", "namespace": "mcp__dream__", "arguments": `{"paths":["lantern.md"]}`, "call_id": "c3"}),
		codexLineAt(11, "response_item", fields{"type": "function_call_output", "call_id": "c3", "output": "the memory of the lantern"}),
		codexLineAt(12, "compacted", fields{"message": "a lantern was painted", "replacement_history": []any{fields{"type": "message", "role": "user", "content": "lantern again"}}}),
		`not json`, `{"timestamp":1,"type":[],"payload":"x"}`, `[1,2]`,
	), 1)
	equal(t, "what was said", all(t, s), []string{
		"codex user: no, the lantern is green",
		"codex assistant: Green lantern it is.",
		"codex user: paint it",
		"codex tool: shell: command=paint\ncommand=--green",
		"codex tool: painted",
		"codex tool: apply_patch: input=*** Begin",
		"codex tool: applied",
	})
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || sessions[0].ID != id(1) || sessions[0].Host != Codex || sessions[0].CWD != root+"/cmd" || sessions[0].Branch != "trunk" {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	// An id is good for the words, their neighbours, and as a source.
	r := search(t, s, Query{Pattern: "paint it"})
	if len(r.Hits) != 1 || r.Hits[0].CWD != root+"/cmd" {
		t.Fatalf("hits %+v", r.Hits)
	}
	u, err := s.Lookup(t.Context(), r.Hits[0].ID)
	if err != nil || u.Text != "paint it" || u.Source() != id(1)+":8" {
		t.Errorf("lookup: %+v, %v", u, err)
	}
	turns, err := s.ContextOf(t.Context(), r.Hits[0].ID, 1)
	if err != nil || len(turns) != 2 || turns[0].Text != "Green lantern it is." {
		t.Errorf("turns %+v, %v", turns, err)
	}
	if r := search(t, s, Query{Pattern: "painted", Speakers: []Speaker{Tool}}); len(r.Hits) != 1 {
		t.Errorf("tools: %+v", r.Hits)
	}
	q := Query{Pattern: "p", Speakers: []Speaker{Tool}, Limit: 1}
	for n := 0; n < 4; n++ {
		r := search(t, s, q)
		if q.Cursor = r.Next; r.Matches != 4 || len(r.Hits) != 1 || r.Hits[0].CWD != root+"/cmd" || r.Hits[0].Branch != "trunk" || (r.Next == "") != (n == 3) {
			t.Errorf("page %d of what tools said: %+v", n, r)
		}
	}
	if r := search(t, s, Query{Pattern: "memory of"}); len(r.Hits) != 0 {
		t.Errorf("what our own tools answered: %+v", r.Hits)
	}
}

// What is another project's, a sub-agent's, a dream's, or nobody's, is no session; a copy counts once.
func TestCodexSessions(t *testing.T) {
	s, top := foreignStore(t)
	put(t, top, codexPath(1, someDay), codexSession(id(1), root), 1)
	put(t, top, codexPath(2, someDay), codexSession(id(2), "/home/dev/elsewhere"), 2)
	put(t, top, codexPath(3, someDay), codexSession(id(3), root+"house"), 3)
	put(t, top, codexPath(4, someDay), strings.Replace(codexSession(id(4), root), `"source":"cli"`, `"source":{"subagent":"review"}`, 1), 4)
	put(t, top, codexPath(5, someDay), strings.ReplaceAll(codexSession(id(5), root), "no, the lantern is green", DreamMarker+">lantern"), 5)
	put(t, top, codexPath(6, someDay), codexLineAt(0, "session_meta", fields{"id": id(6), "cwd": root})+"\n", 6)
	put(t, top, codexPath(7, "archived_sessions"), codexSession(id(7), root), 7)
	fork := codexSession(id(1), root, codexLineAt(9, "event_msg", fields{"type": "user_message", "message": "a lantern of the fork"}))
	put(t, top, codexPath(8, someDay), codexLineAt(8, "session_meta", fields{"id": id(8), "cwd": root, "forked_from_id": id(1)})+"\n"+fork, 8)
	put(t, top, "codex/"+someDay+"/notes.jsonl", "{}", 9)
	put(t, top, codexPath(9, someDay), strings.ReplaceAll(strings.Replace(codexSession(id(9), root, codexLineAt(9, "event_msg",
		fields{"type": "item_completed", "item": fields{"type": "UserMessage", "content": []any{fields{"type": "text", "text": "an item of the lantern"}}}})),
		`"source":"cli"`, `"history_mode":"paginated"`, 1), "no, the lantern is green", "the lantern among others"), 10)
	n, err := s.Count(t.Context(), time.Time{}, 0)
	if err != nil || n != 4 {
		t.Errorf("%d sessions, %v", n, err)
	}
	_, skipped, _ := s.Sessions(t.Context(), time.Time{})
	if got, want := fmt.Sprint(skipped), "map[background dreams:1 files that are no session:1 ghosts without an utterance:1 sessions of other projects:2 sub-agents:1]"; got != want {
		t.Errorf("skipped %s\nwant %s", got, want)
	}
	equal(t, "hits", hits(search(t, s, Query{Pattern: "lantern", Speakers: []Speaker{User}})), []string{
		"a lantern of the fork", "an item of the lantern", "no, the lantern is green", "no, the lantern is green"})
	s.SetCurrent(id(7))
	if n, _ := s.Count(t.Context(), time.Time{}, 0); n != 3 {
		t.Errorf("%d sessions beside the current one", n)
	}
	folders, err := s.Folders()
	if err != nil || len(folders) != 2 || folders[0].Host != Codex {
		t.Errorf("folders %+v, %v", folders, err)
	}
	s.options.Roots = []string{"/home/dev/nowhere"}
	if folders, _ := s.Folders(); len(folders) != 0 {
		t.Errorf("folders of another project %+v", folders)
	}
}

// A folder of all projects is ours by its newest sessions, or by older ones that were counted.
func TestCodexFolderOfOthers(t *testing.T) {
	s, top := foreignStore(t)
	put(t, top, codexPath(1, "sessions/2026/10/31"), codexSession(id(1), root), 1)
	for n := 2; n < maxPeeks+2; n++ {
		put(t, top, codexPath(n, someDay), codexSession(id(n), "/home/dev/elsewhere"), n)
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
	file := "openclaw/agents/main/sessions/" + id(1)
	put(t, top, file+".jsonl", openClawSession(id(1), root,
		speaks("user", words(sender+"[Wed 2026-11-18 09:14 UTC] always light the lantern")),
		speaks("user", words("[Wed 2026-11-18 09:14 UTC] Conversation info (untrusted metadata):\n```json\n{}\n```\n\nThread starter (untrusted, for context):\nlantern\n\nlight it twice")),
		speaks("user", words("System: [2026-11-18 09:15:00 UTC] lantern connected")),
		speaks("user", words("System: [2026-11-18 09:15:00 UTC] lantern connected\n\nlight it thrice")),
		speaks("user", words("Read HEARTBEAT.md if it exists (lantern)")),
		speaks("user", words("[cron:11 lantern] look at the lantern")),
		speaks("assistant", fields{"type": "thinking", "thinking": "lantern"}, words("Lit."), fields{"type": "toolCall", "id": "c1", "name": "exec", "arguments": fields{"command": "light"}}),
		fields{"role": "toolResult", "toolCallId": "c1", "content": []any{words("bright")}},
		speaks("assistant", words("HEARTBEAT_OK")),
		fields{"role": "user", "content": "a bare (untrusted) word: [of mine] stays"},
	), 1)
	for _, ending := range []string{".jsonl.deleted.2026-11-18T09-14-03.000Z", ".jsonl.reset.2026-11-18T09-14-03.000Z"} {
		put(t, top, file+ending, openClawSession(id(1), root, speaks("user", words("a gone lantern"))), 2)
	}
	put(t, top, "openclaw/agents/main/sessions/"+id(2)+"-topic-7.jsonl", openClawSession(id(2), root, speaks("user", words("a topic"))), 3)
	put(t, top, "openclaw/agents/other/sessions/"+id(3)+".jsonl", openClawSession(id(3), "/home/dev/claw", speaks("user", words("another's lantern"))), 4)
	put(t, top, "openclaw/agents/main/sessions/"+id(4)+".jsonl", openClawSession(id(4), root, speaks("user", words("[cron:11 lantern] look")), speaks("assistant", words("I looked."))), 5)
	equal(t, "what was said", all(t, s), []string{
		"openclaw user: always light the lantern",
		"openclaw user: light it twice",
		"openclaw user: light it thrice",
		"openclaw assistant: Lit.",
		"openclaw tool: exec: command=light",
		"openclaw tool: bright",
		"openclaw user: a bare (untrusted) word: [of mine] stays",
		"openclaw user: a topic",
	})
	_, skipped, _ := s.Sessions(t.Context(), time.Time{})
	if skipped[Untyped] != 1 || skipped[OtherProject] != 1 {
		t.Errorf("skipped %v", skipped)
	}
	if r := search(t, s, Query{Pattern: "always light"}); len(r.Hits) != 1 || r.Hits[0].ID != id(1)[:12]+":2" {
		t.Errorf("hits %+v", r.Hits)
	}
}

const geminiLogText = `{"sessionId":"9f5659bb-0000","projectHash":"x","startTime":"2026-11-01T09:00:00.000Z","kind":"main"}
{"id":"u1","timestamp":"2026-11-01T09:00:01.000Z","type":"user","content":[{"text":"never dim the beacon\n--- Content from referenced files ---\nbeacon"}]}
{"id":"a1","timestamp":"2026-11-01T09:00:02.000Z","type":"gemini","content":"Thinking of the beacon"}
{"id":"i1","timestamp":"2026-11-01T09:00:02.000Z","type":"info","content":"beacon updated"}
{"$set":{"lastUpdated":"2026-11-01T09:00:03.000Z","summary":"The beacon"}}
{"id":"a1","timestamp":"2026-11-01T09:00:02.000Z","type":"gemini","content":"The beacon stays bright.","thoughts":[{"subject":"beacon"}],"toolCalls":[{"id":"t1","name":"run_shell_command","args":{"command":"beacon <up>"},"result":[{"functionResponse":{"id":"t1","name":"run_shell_command","response":{"output":"up & bright"}}}]},{"id":"t2","name":"mcp_dream_grep_transcripts","args":{"pattern":"beacon"},"result":[{"functionResponse":{"response":{"output":"what was said of the beacon"}}}]}]}
{"id":"u2","timestamp":"2026-11-01T09:00:05.000Z","type":"user","content":"oops, the wrong beacon"}
{"$rewindTo":"u2"}
{"id":"u3","timestamp":"2026-11-01T09:00:06.000Z","type":"user","content":[{"text":"expanded beacon"}],"displayContent":[{"text":"/beacon dim it"}]}
not json
{"id":"u4","timest`

func TestGemini(t *testing.T) {
	s, top := foreignStore(t)
	chats := "gemini/tmp/lighthouse/chats/"
	put(t, top, "gemini/tmp/lighthouse/.project_root", root+"\n", 0)
	put(t, top, chats+"session-2026-11-01T09-00-9f5659bb.jsonl", geminiLogText, 1)
	sum := sha256.Sum256([]byte(root))
	put(t, top, "gemini/tmp/"+hex.EncodeToString(sum[:])+"/chats/session-2026-11-01T10-00-9f5659bb.json",
		"{\n  \"sessionId\": \"9f5659bb-0000\",\n  \"messages\": [\n    {\"id\": \"u1\", \"timestamp\": \"2026-11-01T09:00:01.000Z\", \"type\": \"user\", \"content\": \"never dim the beacon\"},\n    {\"id\": \"x9\", \"timestamp\": \"2026-11-01T10:00:01.000Z\", \"type\": \"user\", \"content\": \"an old beacon\"}\n  ]\n}\n", 2)
	put(t, top, "gemini/projects.json", marshal(fields{"projects": fields{root + "/sub": "sub", "/home/dev/elsewhere": "liar"}}), 0)
	put(t, top, "gemini/tmp/sub/chats/session-2026-11-01T11-00-aaaaaaaa.jsonl", strings.NewReplacer("never dim", "of a folder below:", "9f5659bb-0000", "aaaaaaaa-0000").Replace(geminiLogText), 3)
	put(t, top, "gemini/tmp/elsewhere/.project_root", "/home/dev/elsewhere", 0)
	put(t, top, "gemini/tmp/elsewhere/chats/session-2026-11-01T11-00-bbbbbbbb.jsonl", geminiLogText, 4)
	put(t, top, chats+"session-2026-11-01T12-00-cccccccc.jsonl", strings.Replace(geminiLogText, `"kind":"main"`, `"kind":"subagent"`, 1), 5)
	put(t, top, chats+"parent/session-2026-11-01T12-00-dddddddd.jsonl", geminiLogText, 6)
	got := all(t, s)
	equal(t, "what was said", got[:6], []string{
		"gemini user: never dim the beacon",
		"gemini assistant: The beacon stays bright.",
		"gemini tool: run_shell_command: command=beacon <up>",
		"gemini tool: up & bright",
		"gemini user: dim it",
		"gemini user: never dim the beacon",
	})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 3 || skipped[Subagent] != 1 || sessions[0].ID != "2026-11-01T11-00-aaaaaaaa" && sessions[1].ID != "2026-11-01T11-00-aaaaaaaa" {
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
		if _, err := s.Digest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r := search(t, s, Query{Pattern: "up & bright", Speakers: []Speaker{Tool}}); r.Matches != 2 {
		t.Errorf("tools of two sessions with the same ids: %+v", r)
	}
	// What is written anew is read anew.
	put(t, top, chats+"session-2026-11-01T09-00-9f5659bb.jsonl", geminiLogText+"\n"+`{"$set":{"messages":[{"id":"n1","timestamp":"2026-11-01T09:00:01.000Z","type":"user","content":"a checkpoint"}]}}`+"\n", 8)
	equal(t, "after a checkpoint", hits(search(t, s, Query{Patterns: []string{"checkpoint", "/beacon"}, Session: "2026-11-01T09-00-9f5659bb"})), []string{"a checkpoint"})
}

// Nobody else's files are followed or waited for.
func TestForeignFoldersAreHostile(t *testing.T) {
	s, top := foreignStore(t)
	other := t.TempDir()
	put(t, other, "secret.jsonl", codexSession(id(1), root), 1)
	if err := os.MkdirAll(filepath.Join(top, "codex", filepath.FromSlash(someDay)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, "secret.jsonl"), filepath.Join(top, filepath.FromSlash(codexPath(1, someDay)))); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(other, filepath.Join(top, "codex", "sessions", "2025")); err != nil {
		t.Fatal(err)
	}
	put(t, top, "gemini/tmp/x/.project_root", strings.Repeat("/", 1<<20), 0)
	put(t, top, "gemini/projects.json", "{", 0)
	if got := all(t, s); len(got) != 0 {
		t.Errorf("%q", got)
	}
	huge := put(t, top, "gemini/tmp/lighthouse/chats/session-2026-11-01T09-00-9f5659bb.json", "", 1)
	put(t, top, "gemini/tmp/lighthouse/.project_root", root, 0)
	if err := os.Truncate(huge, maxWhole+1); err != nil {
		t.Fatal(err)
	}
	if _, skipped, err := s.Sessions(t.Context(), time.Time{}); err != nil || skipped[Unreadable] != 1 {
		t.Errorf("skipped %v, %v", skipped, err)
	}
}

// FuzzForeign: whatever a host's file holds, what is read of it is bounded text, and a digest that grew
// with the file is the one of the whole.
func FuzzForeign(f *testing.F) {
	f.Add(codexSession(id(1), root, codexLineAt(4, "session_meta", fields{"id": id(2)}), codexLineAt(6, "response_item",
		fields{"type": "function_call", "name": "shell", "arguments": `{"command":["a"]}`, "call_id": "c1"})), uint16(700))
	f.Add(openClawSession(id(1), root, speaks("user", words("always light the lantern")), speaks("assistant", words("Lit."))), uint16(150))
	f.Add(geminiLogText, uint16(300))
	f.Add("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"\xff\\ud800\"}}{\"a\":[[[[", uint16(20))
	f.Fuzz(func(t *testing.T, text string, cut uint16) {
		for host, form := range forms {
			if form.collect != nil {
				continue
			}
			path := filepath.Join(t.TempDir(), id(1)+".jsonl")
			var grown *digest
			var whole []byte
			for _, end := range []int{int(cut) % (len(text) + 1), len(text)} {
				overwrite(t, path, text[:end])
				at := fileAt(t, path)
				at.host = host
				m := making{partSize: maxPart}
				d, err := m.digest(context.Background(), at, grown, new(atomic.Int64), noParts)
				if err != nil {
					t.Fatal(err)
				}
				anew, err := m.digest(context.Background(), at, nil, new(atomic.Int64), noParts)
				if err != nil {
					t.Fatal(err)
				}
				if grown, whole = d, anew.all(); !bytes.Equal(d.all(), whole) {
					t.Fatalf("%s: at %d of %d it differs", host, end, len(text))
				}
			}
			if _, err := decodeDigest(bytes.NewReader(whole), int64(len(whole))); err != nil {
				t.Fatalf("%s: its file: %v", host, err)
			}
			at := fileAt(t, path)
			at.host = host
			source, err := at.open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := readHead(source, host); err != nil {
				t.Fatal(err)
			}
			readTail(at)
			if _, err := source.Seek(0, 0); err != nil {
				t.Fatal(err)
			}
			r := newReader(file{id: id(1), host: host}, newLineReader(source, readBlock), func(u *utterance) error {
				if !utf8.ValidString(u.Text) || u.Text == "" || len(u.Text) > maxText {
					t.Fatalf("%s said %q", host, u.Text)
				}
				return nil
			})
			r.tools = everyLine
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			source.Close()
		}
	})
}

// BenchmarkCodex counts the sessions of a project among 10,000 of all projects, as a status does, and
// lists its folders: one in twenty is ours.
func BenchmarkCodex(b *testing.B) {
	s, top := foreignStore(b)
	for n := 1; n <= 10_000; n++ {
		cwd := root
		if n%20 != 0 {
			cwd = "/home/dev/elsewhere"
		}
		put(b, top, codexPath(n, fmt.Sprintf("sessions/2026/%02d/%02d", n%12+1, n/12%28+1)), codexSession(id(n), cwd), n)
	}
	for b.Loop() {
		if n, err := s.Count(b.Context(), start.Add(9_000*time.Hour), 0); err != nil || n != 50 {
			b.Fatal(n, err)
		}
		if folders, err := s.Folders(); err != nil || len(folders) != 1 {
			b.Fatal(folders, err)
		}
	}
}
