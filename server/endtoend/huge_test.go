//go:build linux

package endtoend

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

var huge = flag.Int("huge", 2000, "what the script huge divides its sizes by; 1 is the whole: a transcript of 10 GB, a line of 100 MB, a million files")

// maxResident is what the server may hold at its peak, whatever lies in its folders.
const maxResident = 256 << 20

func init() { commands["huge"] = hugeCommand }

// hugeCommand puts before a server what is far larger than any real memory, and asks it for everything.
// Each answer is bounded, as the client sees to, and the process stays small.
func hugeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if *huge == 1 {
		var disk unix.Statfs_t
		ts.Check(unix.Statfs(ts.Getenv("WORK"), &disk))
		if free := disk.Bavail * uint64(disk.Bsize); free < 20<<30 || disk.Ffree < 4_000_000 {
			ts.Fatalf("%d bytes and %d files are free: too few", free, disk.Ffree)
		}
	}
	transcripts, memory := ts.Getenv("TRANSCRIPTS"), ts.Getenv("MEMORY")
	h := hugeFiles{ts: ts}
	for i := range 1_000_000 / *huge {
		h.write(filepath.Join(transcripts, fmt.Sprintf("10000000-0000-4000-8000-%012d.jsonl", i)), h.said("a session"))
		h.write(filepath.Join(memory, fmt.Sprintf("topic-%d.md", i)), "---\nname: topic\ndescription: one of many\ntype: project\n---\n\nOne of many.\n")
	}
	// The last are the newest, and are searched before the time of a search is up.
	h.transcript(filepath.Join(transcripts, "00000000-0000-4000-8000-000000000001.jsonl"), 10<<30 / *huge)
	h.longLine(filepath.Join(transcripts, "00000000-0000-4000-8000-000000000002.jsonl"), 100<<20 / *huge)
	h.deep(filepath.Join(transcripts, "00000000-0000-4000-8000-000000000003.jsonl"))
	ts.Check(os.Truncate(filepath.Join(memory, "topic-7.md"), 10<<30/int64(*huge)))

	cmd := serverCommand(ts)
	c := startClient(ts, cmd)
	defer cmd.Process.Kill()
	c.greet()
	nested := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) // the client can write no deeper ones
	for _, line := range []string{
		`dream_status {}`,
		`dream_orient {"force": true}`,
		`read_memory {}`,
		`read_memory {"cursor": "{{read_memory .."cursor": "([^"]+)"}}"}`,
		`grep_transcripts {"pattern": "needle"}`,
		`grep_transcripts {"pattern": "n.*e", "regex": true, "context": 2000, "limit": 200}`,
		`grep_transcripts {"pattern": "before the hole"}`, // its short ID is that of another
		`grep_transcripts {"query": "where is the needle in the haystack"}`,
		`grep_transcripts {"pattern": "needle", "speakers": ["user", "assistant", "tool"]}`,
		`read_memory {"paths": ["MEMORY.md", "topic-1.md", "topic-7.md"]}`,
		`write_memory {"path": "another.md", "content": "---\nname: another\ndescription: another\ntype: project\n---\n\nAnother.\n", "waive": [{"rule": "near-duplicate", "why": "there are many"}]}`,
		`finalize_index {"dry_run": true, "adopt": true}`,
		`abort_dream {}`,
		`write_memory {"path": "deep.md", "content": ` + nested + `}`,
		`write_memory {"path": "long.md", "content": "` + strings.Repeat("long ", 400_000) + `"}`,
		`dream_status {}`,
	} {
		began := time.Now()
		c.do(line)
		fmt.Printf("TestScript/huge: %6.1f s, %3d MB at the peak, after %.60s\n", time.Since(began).Seconds(), resident(ts, cmd.Process.Pid)>>20, line)
	}
	said := c.said.String()
	wants := map[string]bool{
		"needle before":         *huge > 1,   // at 1 folders are too full to be listed
		"needle after":          *huge >= 40, // a search reads as much in its time
		"needle in a long line": *huge >= 10, // longer ones are counted, not read
	}
	for want, found := range wants {
		if found && !strings.Contains(said, want) {
			ts.Fatalf("%q was not found:\n%s", want, said)
		}
	}
	peak := resident(ts, cmd.Process.Pid)
	ts.Check(c.in.Close())
	ts.Check(cmd.Wait())
	fmt.Printf("TestScript/huge: sizes by %d: %d files, %d MB of transcripts; the server held %d MB at its peak\n", *huge, h.files, h.bytes>>20, peak>>20)
	if peak > maxResident {
		ts.Fatalf("the server held %d MB at its peak", peak>>20)
	}
	fmt.Fprint(ts.Stdout(), said)
}

// resident is the peak of the memory that a process held.
func resident(ts *testscript.TestScript, pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	ts.Check(err)
	for line := range strings.Lines(string(data)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	ts.Fatalf("the system does not report the peak: %s", data)
	return 0
}

type hugeFiles struct {
	ts    *testscript.TestScript
	files int
	bytes int
}

func (h *hugeFiles) write(path, content string) {
	h.ts.Check(os.WriteFile(path, []byte(content), 0o600))
	h.files++
	h.bytes += len(content)
}

// said is a record of what a person said in the project.
func (h *hugeFiles) said(words string) string {
	line, err := json.Marshal(map[string]any{
		"type": "user", "uuid": fmt.Sprintf("%08d-0000-4000-8000-000000000000", h.files), "sessionId": "s", "timestamp": "2026-11-18T09:00:00Z",
		"cwd": h.ts.Getenv("PROJECT"), "message": map[string]any{"role": "user", "content": words},
	})
	h.ts.Check(err)
	return string(line) + "\n"
}

// transcript is one of size bytes: words, a hole without an end of line, and words again.
func (h *hugeFiles) transcript(path string, size int) {
	h.write(path, h.said("the needle before the hole"))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	h.ts.Check(err)
	_, err = f.WriteAt([]byte("\n"+h.said("the needle after the hole")), int64(size))
	h.ts.Check(err)
	h.ts.Check(f.Close())
	h.bytes += size
}

// longLine is a transcript whose middle line has size bytes.
func (h *hugeFiles) longLine(path string, size int) {
	long := string(bytes.Repeat([]byte("hay "), size/4))
	h.write(path, h.said("a needle beside")+h.said("a needle in a long line "+long)+h.said("a needle after"))
}

// deep is a transcript of lines that nest a hundred thousand times.
func (h *hugeFiles) deep(path string) {
	var b strings.Builder
	b.WriteString(h.said("the needle above the deep"))
	for _, pair := range []string{"[]", `{"a":|}`, `{"message":|}`, `{"content":[|]}`} {
		open, end, _ := strings.Cut(pair, "|")
		if end == "" {
			open, end = "[", "]"
		}
		b.WriteString(`{"type":"user","message":{"role":"user","content":` + strings.Repeat(open, 100_000) + strings.Repeat(end, 100_000) + "}}\n")
		b.WriteString(strings.Repeat(open, 100_000) + "\n")
	}
	h.write(path, b.String())
}
