package consolidate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/testdata/tmpfs"
)

// child is what a process that is to die or to hold on is to do.
type child struct {
	Memory, State, Script string
	Now                   time.Time
	Die                   int  // at which step; -1: none
	Pause                 bool // wait for a line at that step instead
	Hold                  bool // begin a dream and wait for a line
	Act                   *act // instead of Script
}

const childVariable = "DREAM_TEST_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childVariable); order != "" {
		runChild(order)
		return
	}
	os.Exit(tmpfs.Run(m.Run))
}

func runChild(order string) {
	var c child
	if err := json.Unmarshal([]byte(order), &c); err != nil {
		panic(err)
	}
	w := &world{memory: c.Memory, state: c.State, now: c.Now}
	o, step := w.options(), 0
	o.Step = func(name string) {
		if step == c.Die {
			fmt.Println("died at", name)
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			if os.Getpid() == 1 {
				os.Exit(0) // no signal of its own kills the first process of a namespace
			}
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
		os.Exit(0) // as a process that is asked to end and does not clean up
	}
	run := script[c.Script].run
	if run == nil {
		run = fixes[c.Script]
	}
	if run == nil {
		run = counted[c.Script]
	}
	if c.Act != nil {
		run = c.Act.run
	}
	fmt.Println("ended with", run(p))
}

// start starts a child process.
func (w *world) start(c child) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	return w.startAs(c, func(*exec.Cmd) {})
}

// startAs starts a child process by a command that change has changed.
func (w *world) startAs(c child, change func(*exec.Cmd)) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	cmd = exec.Command(os.Args[0])
	change(cmd)
	cmd.Env = w.environment(c)
	cmd.Stderr = os.Stderr
	in, _ = cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, in, bufio.NewReader(stdout)
}

// environment is that of a child process over this world.
func (w *world) environment(c child) []string {
	c.Memory, c.State, c.Now = w.memory, w.state, w.now
	order, _ := json.Marshal(c)
	return append(os.Environ(), childVariable+"="+string(order))
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

// stepsOf returns the names of the steps of an operation.
func stepsOf(t *testing.T, name string) (steps []string) {
	t.Helper()
	w := newWorldFor(t, name)
	o := w.options()
	o.Step = func(step string) { steps = append(steps, step) }
	p := Open(o)
	defer p.Close("it was carried out")
	if err := script[name].run(p); err != nil {
		t.Fatal(err)
	}
	return steps
}

// cutOff returns a world in which a commit was killed at the step named at.
func cutOff(t *testing.T, at string) *world {
	t.Helper()
	w := newWorldFor(t, "commit")
	if died := w.runToDeath("commit", slices.Index(stepsOf(t, "commit"), at)); died != at {
		t.Fatalf("it died at %q, want %q", died, at)
	}
	return w
}
