package endtoend

import (
	"bufio"
	"bytes"
	"dream-mcp/consolidate/transcript/sessions"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var soakCalls = flag.Int("soak", 600, "how many calls TestSoak makes")

// What a server may hold more after all calls than after a tenth of them: noise, which does not grow with their
// number. Of 100,000 calls 24 bytes each would show in the heap.
const (
	maxHeapGrowth     = 1 // MiB
	maxResidentGrowth = 24 << 20

	maxMoreFiles = 16 // calls at the same time open connections to sessions.db, up to a limit, and these stay open
)

// warmCalls are enough for every kind of call to have been made, with what is compiled and read once: 2 MiB of the
// heap.
const warmCalls = 400

// TestSoak makes many calls of every kind and compares what a server holds after them with what another holds after a
// tenth as many: goroutines, open files, memory.
func TestSoak(t *testing.T) {
	t.Parallel()
	dependOnSources(t)
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: no signal makes a program print its goroutines")
	}
	before, after := soakFor(t, max(*soakCalls/10, warmCalls)), soakFor(t, *soakCalls)
	if after.goroutines > before.goroutines {
		t.Errorf("goroutines: %d, were %d\n%s", after.goroutines, before.goroutines, after.stacks)
	}
	if after.files > before.files+maxMoreFiles {
		t.Errorf("open files: %d, were %d", after.files, before.files)
	}
	if after.heap > before.heap+maxHeapGrowth {
		t.Errorf("the heap grew from %d to %d MiB", before.heap, after.heap)
	}
	if grown := after.resident - before.resident; grown > maxResidentGrowth {
		t.Errorf("resident memory grew by %d bytes", grown)
	}
}

// soakFor makes so many calls to a server of their own and ends it.
func soakFor(t *testing.T, calls int) held {
	s := soak(t)
	start := time.Now()
	for s.made < calls {
		s.round(t)
	}
	took := time.Since(start)
	h := s.quit(t)
	t.Logf("%d calls (%d tools, %d errors, %d cancelled, %d dreams, %d written) in %v: %d goroutines, %d files, heap %d MiB, resident %.1f MiB",
		s.made, s.tools, s.errors, s.cancels, s.dreams, s.writes, took.Round(time.Millisecond), h.goroutines, h.files, h.heap, float64(h.resident)/(1<<20))
	return h
}

// held is what a process holds: goroutines but for the first and those of the runtime, resident in bytes, heap in MiB.
// Without /proc some are 0.
type held struct {
	goroutines, files, heap, resident int
	stacks                            string
}

// quit waits until the server is idle, reads what it holds, and ends it with a signal that makes it print its
// goroutines.
func (s *soaking) quit(t *testing.T) (h held) {
	proc := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	for idle := 0; idle < 10; time.Sleep(50 * time.Millisecond) {
		if idle++; running(proc) {
			idle = 0
		}
	}
	if open, err := os.ReadDir(proc + "fd"); err == nil {
		h.files = len(open)
	}
	if status, err := os.ReadFile(proc + "status"); err == nil {
		if _, rest, found := bytes.Cut(status, []byte("VmRSS:")); found {
			fmt.Sscan(string(rest), &h.resident)
			h.resident <<= 10
		}
	}
	s.ended = true
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	log, stacks, _ := strings.Cut(s.log.String(), "SIGQUIT")
	h.stacks = stacks
	for _, stack := range strings.Split(stacks, "\n\n") {
		if strings.Contains(stack, "created by ") && !strings.Contains(stack, "created by runtime.") { // which begins its own when it needs them
			h.goroutines++
		}
	}
	live := liveHeap.FindAllStringSubmatch(log, -1)
	if len(live) == 0 || h.goroutines == 0 {
		t.Fatalf("the server printed neither its heap nor its goroutines: %s", s.log.String())
	}
	for i, match := range live[max(0, len(live)-10):] {
		size, _ := strconv.Atoi(match[1])
		if h.heap = min(h.heap, size); i == 0 {
			h.heap = size
		}
	}
	return h
}

// running reports whether a thread of the process runs or waits for a processor.
func running(proc string) bool {
	threads, _ := filepath.Glob(proc + "task/*/stat")
	return slices.ContainsFunc(threads, func(thread string) bool {
		stat, err := os.ReadFile(thread)
		return err == nil && bytes.Contains(stat, []byte(") R "))
	})
}

// liveHeap finds what a collection left, in what GODEBUG=gctrace=1 prints of it.
var liveHeap = regexp.MustCompile(`gc .* \d+->\d+->(\d+) MB`)

// A soaking is a server and its client.
type soaking struct {
	cmd   *exec.Cmd
	log   bytes.Buffer
	ended bool
	in    io.Writer
	out   *bufio.Reader
	seen  map[string]json.RawMessage // answers by id, which are still to be asked for

	made, rounds, tools, errors, cancels, dreams, writes int
}

// soak starts the program on a project with sessions and memories.
func soak(t testing.TB) *soaking {
	home := t.TempDir()
	project := filepath.Join(home, "project")
	folder := filepath.Join(home, ".claude", "projects", sessions.Slug(project))
	for dir, files := range map[string]map[string]string{
		project: {"main.go": "package main\n"},
		filepath.Join(folder, "memory"): {
			"MEMORY.md":    "- [Role](user_role.md) — writes Go\n",
			"user_role.md": "---\nname: role\ndescription: what the person does\ntype: user\n---\nWrites Go.\n",
		},
		folder: sessionFiles(project, 8, 40),
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
	cmd := exec.Command(binary(), "serve", "--project", project)
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "GODEBUG=gctrace=1", "GOGC=50"}
	s := &soaking{cmd: cmd, seen: map[string]json.RawMessage{}}
	cmd.Stderr = &s.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.ended {
			return
		}
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v: %s", err, s.log.String())
		}
	})
	return s
}

// sessionFiles are n transcripts of so many turns each.
func sessionFiles(project string, n, turns int) map[string]string {
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
