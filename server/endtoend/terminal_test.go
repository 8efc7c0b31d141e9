package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/term"
)

// terminal is a person's terminal with `dream-mcp status --watch` in it, or another verb. A script of mcp has one at a
// time: "terminal WIDTH HEIGHT [ARGUMENTS]" opens it, "see REGEXP" waits until that is on the screen, "gone REGEXP"
// until it is not, "press KEY" and "resize WIDTH HEIGHT" do as they say, "strike SIGNAL" sends its process a signal,
// "ended CODE" waits until it has ended with that exit code, and "left" until it has ended well and has left the
// terminal as it was.
type terminal struct {
	ts     *testscript.TestScript
	cmd    *exec.Cmd
	file   *os.File
	before *term.State
	ended  chan error

	mu     sync.Mutex
	screen *screen
}

// patience is how long a script waits for what must come.
const patience = 2 * time.Minute

func openTerminal(ts *testscript.TestScript, program string, env []string, words string) *terminal {
	width, height := sizeOf(ts, words)
	args := strings.Fields(words)[2:]
	if len(args) == 0 {
		args = []string{"status", "--watch"}
	}
	fresh, other, err := pty.Open()
	ts.Check(err)
	defer fresh.Close()
	defer other.Close()
	before, err := term.GetState(int(fresh.Fd()))
	ts.Check(err)
	t := &terminal{ts: ts, cmd: exec.Command(program, args...), before: before, ended: make(chan error, 1), screen: newScreen(width, height)}
	t.cmd.Dir, t.cmd.Env = ts.Getenv("PROJECT"), append(env, "TERM=xterm-256color", "PAGER="+ts.Getenv("PAGER"))
	t.file, err = pty.StartWithSize(t.cmd, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
	ts.Check(err)
	ts.Defer(func() { t.cmd.Process.Kill() })
	go t.draw()
	return t
}

// draw keeps the screen as the program draws it, until it ends.
func (t *terminal) draw() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buffer)
		t.mu.Lock()
		t.screen.write(buffer[:n])
		t.mu.Unlock()
		if err != nil {
			t.ended <- t.cmd.Wait()
			return
		}
	}
}

func (t *terminal) do(verb, rest string) {
	switch verb {
	case "see", "gone":
		t.wait(regexp.MustCompile("(?m)"+rest), verb == "see")
	case "press":
		key, ok := keys[rest]
		if !ok {
			key = rest
		}
		_, err := t.file.WriteString(key)
		t.ts.Check(err)
	case "strike":
		t.ts.Check(t.cmd.Process.Signal(signals[rest]))
	case "resize":
		width, height := sizeOf(t.ts, rest)
		t.mu.Lock()
		t.screen.resize(width, height)
		t.mu.Unlock()
		t.ts.Check(pty.Setsize(t.file, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}))
	case "ended":
		if err := t.end(); fmt.Sprint(t.cmd.ProcessState.ExitCode()) != rest {
			t.ts.Fatalf("it ended with %v, not %s:\n%s", err, rest, t.screen)
		}
		t.file.Close()
	case "left":
		t.left()
	}
}

var keys = map[string]string{"esc": "\x1b", "tab": "\t", "ctrl+c": "\x03", "ctrl+d": "\x04", "enter": "\r", "up": "\x1b[A",
	"down": "\x1b[B", "pgdown": "\x1b[6~", "home": "\x1b[H", "end": "\x1b[F"}

// sizeOf reads "WIDTH HEIGHT".
func sizeOf(ts *testscript.TestScript, words string) (width, height int) {
	_, err := fmt.Sscan(words, &width, &height)
	ts.Check(err)
	return width, height
}

// wait waits until something is on the screen, or is not.
func (t *terminal) wait(what *regexp.Regexp, there bool) {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		t.mu.Lock()
		picture, fault := t.screen.String(), t.screen.fault
		t.mu.Unlock()
		switch {
		case fault != "":
			t.ts.Fatalf("%s:\n%s", fault, picture)
		case what.MatchString(picture) == there:
			return
		case time.Now().After(deadline):
			t.ts.Fatalf("%q on the screen should be %v:\n%s", what, there, picture)
		}
	}
}

// end waits for the end of the program.
func (t *terminal) end() error {
	select {
	case err := <-t.ended:
		return err
	case <-time.After(patience):
		t.ts.Fatalf("it does not end:\n%s", t.screen)
		return nil
	}
}

// left waits for the end, and looks whether a shell could go on.
func (t *terminal) left() {
	t.ts.Check(t.end())
	defer t.file.Close()
	if t.screen.fault != "" {
		t.ts.Fatalf("%s", t.screen.fault)
	}
	for mode, set := range t.screen.modes {
		if set != (mode == cursorShown || mode == autoWrap) {
			t.ts.Fatalf("mode %d is left as %v", mode, set)
		}
	}
	if text := strings.TrimSpace(t.screen.String()); text != "" {
		t.ts.Fatalf("is left on the screen: %s", text)
	}
	after, err := term.GetState(int(t.file.Fd()))
	t.ts.Check(err)
	if !reflect.DeepEqual(t.before, after) {
		t.ts.Fatalf("the terminal was %+v and is left as %+v", t.before, after)
	}
}
