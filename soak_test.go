package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript"
)

var soakCalls = flag.Int("soak", 1000, "how many calls TestSoak makes")

// What may be left more after the last call than after the first tenth, in bytes, whatever the number of calls: noise,
// which does not grow with them. 100,000 calls would show 12 bytes a call.
const (
	maxHeapGrowth     = 1 << 20
	maxResidentGrowth = 24 << 20
)

// TestSoak makes many calls of every kind to the whole program in this process, and looks at what it holds on to:
// goroutines, open files, memory. What it leaves on the disk is the archive's matter.
func TestSoak(t *testing.T) {
	s := soak(t)
	warm := *soakCalls / 10
	for s.made < warm {
		s.round(t)
	}
	before := holding(-1, time.Second/4)
	start := time.Now()
	for s.made < *soakCalls {
		s.round(t)
	}
	calls, took := s.made-warm, time.Since(start)
	after := holding(before.goroutines, 5*time.Second)
	t.Logf("%d calls (%d tools, %d errors, %d cancelled, %d dreams, %d written) in %v; then: %v; now: %v",
		calls, s.tools, s.errors, s.cancels, s.dreams, s.writes, took.Round(time.Millisecond), before, after)
	if after.goroutines > before.goroutines {
		buf := make([]byte, 1<<20)
		t.Errorf("goroutines: %d, were %d\n%s", after.goroutines, before.goroutines, buf[:runtime.Stack(buf, true)])
	}
	if after.files > before.files {
		t.Errorf("open files: %d, were %d", after.files, before.files)
	}
	if grown := after.heap - before.heap; grown > maxHeapGrowth {
		t.Errorf("the heap grew by %d bytes, %d a call", grown, grown/calls)
	}
	if grown := after.resident - before.resident; grown > maxResidentGrowth {
		t.Errorf("resident memory grew by %d bytes, %d a call", grown, grown/calls)
	}
}

// held is what the process holds: bytes, and numbers of things. Where the system does not tell, it is 0.
type held struct{ goroutines, files, heap, resident int }

func (h held) String() string {
	return fmt.Sprintf("%d goroutines, %d files, heap %.1f MiB, resident %.1f MiB", h.goroutines, h.files, float64(h.heap)/(1<<20), float64(h.resident)/(1<<20))
}

// holding looks when no call is under way, and gives what has ended some time to be gone: until there are no more
// than idle goroutines.
func holding(idle int, patience time.Duration) held {
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > idle && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := held{goroutines: runtime.NumGoroutine(), heap: int(m.HeapAlloc)}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.files = len(open)
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, found := bytes.Cut(status, []byte("VmRSS:")); found {
			fmt.Sscan(string(rest), &h.resident)
			h.resident <<= 10
		}
	}
	return h
}

// A soaking is a client of a server that runs in this process.
type soaking struct {
	in   io.Writer
	out  *bufio.Reader
	seen map[string]json.RawMessage // answers by id, which are still to be asked for

	made, rounds, tools, errors, cancels, dreams, writes int
}

// soak starts the program on a project with sessions and memories.
func soak(t testing.TB) *soaking {
	home := t.TempDir()
	project := filepath.Join(home, "project")
	folder := filepath.Join(home, ".claude", "projects", transcript.Slug(project))
	for dir, files := range map[string]map[string]string{
		project: {"main.go": "package main\n"},
		filepath.Join(folder, "memory"): {
			"MEMORY.md":    "- [Role](user_role.md) — writes Go\n",
			"user_role.md": "---\nname: role\ndescription: what the person does\ntype: user\n---\nWrites Go.\n",
		},
		folder: sessions(project, 8, 40),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "CLAUDE") || strings.HasPrefix(name, "DREAM_") || strings.HasPrefix(name, "XDG_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), []string{"serve", "--project", project}, inR, outW, io.Discard)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with %d", code)
		}
	})
	return &soaking{in: inW, out: bufio.NewReaderSize(outR, 1<<20), seen: map[string]json.RawMessage{}}
}

// sessions are n transcripts of so many turns each.
func sessions(project string, n, turns int) map[string]string {
	files := map[string]string{}
	for i := range n {
		id := fmt.Sprintf("%08d-1111-4222-8333-444444444444", i)
		var b strings.Builder
		for j := range turns {
			fmt.Fprintf(&b, `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"type":"user","message":{"role":"user","content":"no, we use bun now, not npm; turn %d"},"uuid":"%08d-aaaa-4bbb-8ccc-%012d","timestamp":"2026-10-%02dT09:%02d:00.000Z"}`+"\n",
				project, id, j, i, j, i+1, j)
		}
		files[id+".jsonl"] = b.String()
	}
	return files
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// round makes some calls of each kind: alone, side by side, and cancelled.
func (s *soaking) round(t testing.TB) {
	s.rounds++
	for _, ask := range []string{
		tool("dream_status", `{}`),
		tool("grep_transcripts", `{"pattern":"bun"}`),
		tool("grep_transcripts", `{"pattern":"turn [12]", "regex":true, "limit":5}`),
		tool("read_memory", `{"paths":["MEMORY.md","user_role.md"]}`),
		method("tools/list", ``),
		method("tools/list", modern),
		method("prompts/get", `"name":"dream"`),
		method("resources/list", ``),
		method("resources/read", `"uri":"memory://user_role.md"`),
		method("resources/read", `"uri":"dream://status",`+modern),
		method("resources/subscribe", fmt.Sprintf(`"uri":"memory://%d.md"`, s.rounds)),
		method("resources/unsubscribe", fmt.Sprintf(`"uri":"memory://%d.md"`, s.rounds)),
		method("ping", ``),
	} {
		if answer := s.ask(t, ask); failed(answer) {
			t.Fatalf("%s was answered %s", ask, answer)
		}
	}
	for _, ask := range []string{
		tool("no_such_tool", `{}`),
		tool("dream_status", `{"no":"such"}`),
		tool("grep_transcripts", `{"pattern":"(","regex":true}`),
		tool("write_memory", `{"path":"../escape.md","content":"x"}`),
		tool("finalize_index", `{}`),
		tool("abort_dream", `{}`),
		method("resources/read", `"uri":"memory://none.md"`),
		method("prompts/get", `"name":"remember"`),
		method("no/such", ``),
	} {
		if answer := s.ask(t, ask); !failed(answer) {
			t.Fatalf("%s was answered %s", ask, answer)
		}
		s.errors++
	}
	fmt.Fprint(s.in, "not JSON\n\n{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}\n")

	var ids []string
	for range 16 {
		ids = append(ids, s.send(tool("grep_transcripts", `{"patterns":["bun","npm"],"limit":3}`)))
	}
	for range 16 {
		id := s.send(tool("dream_status", `{}`))
		fmt.Fprintf(s.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
		s.cancels++
	}
	for range 2 {
		id := s.send(method("subscriptions/listen", modern+`,"notifications":{"resourceSubscriptions":["dream://status"]}`))
		s.ask(t, method("ping", ``))
		fmt.Fprintf(s.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
		s.cancels++
	}
	for _, id := range ids {
		s.wait(t, id)
	}
	if s.rounds%8 == 1 {
		answer := s.ask(t, tool("write_memory", `{"path":"user_role.md","base":"`+s.sum(t)+`","edits":[{"old":"Writes Go`+strings.Repeat("!", s.writes%2)+`.","new":"Writes Go`+strings.Repeat("!", 1-s.writes%2)+`."}]}`))
		if failed(answer) {
			t.Fatalf("not written: %s", answer)
		}
		s.writes++
	}
	if s.rounds%16 == 1 {
		if answer := s.ask(t, tool("dream_orient", `{"force":true}`)); failed(answer) {
			t.Fatalf("no dream: %s", answer)
		}
		s.ask(t, tool("grep_transcripts", `{"pattern":"bun"}`))
		s.ask(t, tool([]string{"abort_dream", "finalize_index"}[s.dreams%2], `{}`))
		s.dreams++
	}
	clear(s.seen) // what was cancelled and answered all the same
}

func failed(answer []byte) bool {
	return bytes.Contains(answer, []byte(`"error":{"code":`)) || bytes.Contains(answer, []byte(`"isError":true`))
}

func (s *soaking) sum(t testing.TB) string {
	_, rest, _ := bytes.Cut(s.ask(t, tool("read_memory", `{"paths":["user_role.md"]}`)), []byte("user_role.md "))
	return string(rest[:12])
}

func tool(name, arguments string) string {
	return method("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
}

func method(name, params string) string {
	return fmt.Sprintf(`"method":%q,"params":{%s}}`, name, params)
}

// send sends a request and returns its id.
func (s *soaking) send(request string) string {
	s.made++
	if strings.Contains(request, "tools/call") {
		s.tools++
	}
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,%s`+"\n", s.made, request)
	return fmt.Sprint(s.made)
}

func (s *soaking) ask(t testing.TB, request string) []byte {
	t.Helper()
	return s.wait(t, s.send(request))
}

// wait reads until the answer to a request.
func (s *soaking) wait(t testing.TB, id string) []byte {
	t.Helper()
	for s.seen[id] == nil {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("no answer to %s: %v", id, err)
		}
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.seen[string(m.ID)] = line
	}
	defer delete(s.seen, id)
	return s.seen[id]
}
