package consolidate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
)

// world is a memory directory with one project over it, on a clock of its own.
type world struct {
	t      *testing.T
	memory string
	state  string
	now    time.Time
}

var start = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

const topicText = "---\nname: %s\ndescription: about %s\nmetadata:\n  type: %s\n---\n\nThe body of %s.\n"

func topic(name, kind string) string { return fmt.Sprintf(topicText, name, name, kind, name) }

func newWorld(t *testing.T) *world {
	w := &world{t: t, memory: filepath.Join(t.TempDir(), "memory"), state: t.TempDir(), now: start}
	os.MkdirAll(w.memory, 0o700)
	w.put("a.md", topic("a", "project"))
	w.put("b.md", topic("b", "reference"))
	w.put("c.md", topic("c", "project"))
	w.put("d.md", topic("d", "project"))
	w.put("e.md", topic("e", "feedback"))
	w.put("MEMORY.md", "- [a](a.md) — about a\n- [b](b.md) — about b\n- [c](c.md) — about c\n- [d](d.md) — about d\n- [e](e.md) — about e\n")
	return w
}

func (w *world) put(name, content string) {
	if err := os.WriteFile(filepath.Join(w.memory, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// stampNative sets Claude Code's lock file.
func (w *world) stampNative(body string, at time.Time) {
	w.put(nativeFile, body)
	os.Chtimes(filepath.Join(w.memory, nativeFile), at, at)
}

func (w *world) nativeNow() string {
	info, err := os.Stat(filepath.Join(w.memory, nativeFile))
	if err != nil {
		return "absent"
	}
	body, _ := os.ReadFile(filepath.Join(w.memory, nativeFile))
	return fmt.Sprintf("%q %s", body, info.ModTime().UTC().Format(time.RFC3339Nano))
}

func (w *world) options() Options {
	return Options{
		MemoryDir: w.memory, StateHome: w.state, Transcripts: transcript.Open(transcript.Options{}),
		Enabled: Switch{On: true, Why: "on"}, MinHours: 24, MinSessions: 0,
		Now: func() time.Time { return w.now },
	}
}

func (w *world) open() *Project {
	p := Open(w.options())
	w.t.Cleanup(func() { p.Close("the test ended") })
	return p
}

// files returns what lies in the memory directory, without the two locks.
func (w *world) files() map[string]string {
	files := map[string]string{}
	filepath.WalkDir(w.memory, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == lockFile || e.Name() == nativeFile {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(w.memory, p)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	return files
}

func (w *world) lockRecordSize() int64 {
	info, err := os.Stat(filepath.Join(w.memory, lockFile))
	if err != nil {
		return 0
	}
	return info.Size()
}

func sum(content string) string { return memory.SumOf([]byte(content)).Short() }

func text(s string) *string { return &s }

var ctx = context.Background()

// The script that the tests carry out, in this process or in one that is to die.
var script = map[string]func(p *Project) error{
	"commit": func(p *Project) error {
		if err := p.Begin(ctx, false, false); err != nil {
			return err
		}
		if err := writeScript(p); err != nil {
			return err
		}
		_, err := p.Finalize(ctx, FinalizeRequest{Adopt: true, Summary: "tidied"})
		return err
	},
	"abort": func(p *Project) error {
		if err := p.Begin(ctx, false, false); err != nil {
			return err
		}
		if err := writeScript(p); err != nil {
			return err
		}
		_, _, err := p.Abort(ctx, "on second thoughts")
		return err
	},
	"write": func(p *Project) error {
		_, err := p.Write(ctx, WriteRequest{Path: "new.md", Content: text(topic("new", "user"))})
		return err
	},
	"undo": func(p *Project) error {
		_, err := p.Undo(ctx, "")
		return err
	},
}

func writeScript(p *Project) error {
	for _, r := range []WriteRequest{
		{Path: "a.md", Edits: []memory.Edit{{Old: "The body of a.", New: "The better body of a."}}, Base: sum(topic("a", "project"))},
		{Path: "b.md", Delete: true, Base: sum(topic("b", "reference"))},
		{Path: "deep/new.md", Content: text(topic("deep-new", "project")), Index: &IndexLine{Title: "Deep", Hook: "deep and new"}},
	} {
		if _, err := p.Write(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// child is what a process that is to die or to hold on is told.
type child struct {
	Memory, State, Script string
	Now                   time.Time
	Die                   int  // at which step; -1: none
	Pause                 bool // wait for a line at that step instead
	Hold                  bool // begin a dream and wait for a line
}

const childVariable = "DREAM_TEST_CHILD"

func TestMain(m *testing.M) {
	if told := os.Getenv(childVariable); told != "" {
		runChild(told)
		return
	}
	os.Exit(m.Run())
}

func runChild(told string) {
	var c child
	if err := json.Unmarshal([]byte(told), &c); err != nil {
		panic(err)
	}
	w := &world{memory: c.Memory, state: c.State, now: c.Now}
	o, step := w.options(), 0
	o.Step = func(name string) {
		if step == c.Die {
			fmt.Println("died at", name)
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		step++
	}
	if c.Pause {
		input := bufio.NewReader(os.Stdin)
		o.Step = func(name string) {
			if step == c.Die {
				fmt.Println("paused at", name)
				input.ReadString('\n')
			}
			step++
		}
	}
	p := Open(o)
	if c.Hold {
		err := p.Begin(ctx, true, false)
		fmt.Println("holds", err)
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(0) // as a process that is told to go and does not clean up
	}
	fmt.Println("ended with", script[c.Script](p))
}

// start starts a child process.
func (w *world) start(c child) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	c.Memory, c.State = w.memory, w.state
	if c.Now.IsZero() {
		c.Now = w.now
	}
	told, _ := json.Marshal(c)
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(told))
	cmd.Stderr = os.Stderr
	in, _ = cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, in, bufio.NewReader(stdout)
}

// runToDeath runs a script in a process that dies at a step, and returns where it died, or "".
func (w *world) runToDeath(name string, step int) string {
	cmd, _, out := w.start(child{Script: name, Die: step})
	said, _ := io.ReadAll(out)
	cmd.Wait()
	line := strings.TrimSpace(string(said))
	if at, died := strings.CutPrefix(line, "died at "); died {
		return at
	}
	if line != "ended with <nil>" {
		w.t.Fatalf("%s, step %d: %s", name, step, line)
	}
	return ""
}

func same(a, b map[string]string) bool { return maps.Equal(a, b) }
