package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// child is the command that runs the test binary as a server, with real pipes.
func child(t *testing.T) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	return cmd
}

// Every request before the end of input is answered.
func TestEndOfInputDrains(t *testing.T) {
	for _, era := range eras {
		repeat := func(n int, tool, arguments string) []string {
			var lines []string
			for i := range n {
				lines = append(lines, toolCall(i, era.meta, tool, arguments))
			}
			return lines
		}
		for _, row := range []struct {
			name  string
			lines []string
		}{
			{"opening alone", []string{era.open}},
			{"one quick call", repeat(1, "echo", `{"text":"x"}`)},
			{"one slow call", repeat(1, "slow", `{"ms":100}`)},
			{"calls that wait for a slot", repeat(20, "slow", `{"ms":30}`)},
			{"fifty quick calls", repeat(50, "echo", `{"text":"x"}`)},
			{"writes in a row", repeat(12, "write", `{"text":"x","ms":5}`)},
			{"opening and calls", append([]string{era.open}, repeat(10, "slow", `{"ms":20}`)...)},
		} {
			t.Run(era.name+"/"+row.name, func(t *testing.T) {
				var runs sync.WaitGroup
				for range 2 {
					runs.Go(func() { drain(t, row.lines) })
				}
				runs.Wait()
			})
		}
	}
}

// drain sends lines to a process, all at once, and expects an answer to each.
func drain(t *testing.T, lines []string) {
	cmd := child(t)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Errorf("%v; stderr: %s", err, &stderr)
	}
	if n := strings.Count(string(out), `"result":`); n != len(lines) || n != bytes.Count(out, []byte("\n")) {
		t.Errorf("%d results to %d requests: %.500s", n, len(lines), out)
	}
}

// Calls that do not end within the drain time are cancelled, and answered with that.
func TestDrainIsBounded(t *testing.T) {
	o := sample()
	o.Drain = 100 * time.Millisecond
	p := dial(t, o)
	p.write(toolCall(1, `"_meta":{}`, "slow", anHour))
	for i := range 10 { // more than there are slots: some never start
		p.write(toolCall(10+i, `"_meta":{}`, "slow", anHour))
	}
	lines, err := p.end()
	if err != nil || len(lines) != 11 {
		t.Errorf("got %q, %v", lines, err)
	}
	for _, line := range lines {
		if r := decode(t, line); r.code() != -32603 || !strings.Contains(line, "the server is stopping") {
			t.Errorf("got %s", line)
		}
	}
}

// A handler that ignores its context cannot block Serve, or write after it.
func TestIgnoringHandler(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	out := &lockedBuffer{}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, inR, out, sample()) }()
	_, _ = io.WriteString(inW, toolCall(1, `"_meta":{}`, "ignoring", `{"ms":3000}`)+"\n")
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	cancel()
	select {
	case err := <-served:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Serve waits for a handler that ignores its context")
	}
	time.Sleep(3500*time.Millisecond - time.Since(start))
	if got := out.String(); got != "" {
		t.Errorf("written after the end: %s", got)
	}
}

// A cancelled context ends Serve though the input blocks; calls are answered.
func TestContextEnds(t *testing.T) {
	for _, era := range eras {
		p := dial(t, sample())
		p.ask(era.open)
		p.write(toolCall(1, era.meta, "slow", anHour))
		p.silent()
		p.stop()
		if r := p.read(); string(r.ID) != "1" || r.code() != -32603 {
			t.Errorf("%s: got %s", era.name, r.raw)
		}
		if err := <-p.served; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", era.name, err)
		}
	}
}

func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	cmd := child(t)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	if _, err := out.Read(make([]byte, 1000)); err != nil { // it is up
		t.Fatal(err)
	}
	fmt.Fprintln(in, toolCall(1, `"_meta":{}`, "slow", anHour))
	time.Sleep(50 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(string(rest), "the server is stopping") {
		t.Errorf("the call was not answered: %q", rest)
	}
}

// When the client has gone, calls are cancelled and Serve returns, with stdin
// still open.
func TestBrokenPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGPIPE")
	}
	cmd := child(t)
	in, _ := cmd.StdinPipe()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	_ = r.Close()
	defer in.Close()
	fmt.Fprintln(in, toolCall(1, `"_meta":{}`, "slow", anHour))
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 4 || !strings.Contains(stderr.String(), "write to the client") {
		t.Errorf("exit code %d, stderr %s", code, &stderr)
	}
}

// A client that reads nothing cannot block Serve.
func TestUnreadOutput(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	defer outR.Close()
	served := make(chan error, 1)
	o := sample()
	o.Drain = 100 * time.Millisecond
	go func() { served <- Serve(t.Context(), inR, outW, o) }()
	for i := range 100 {
		fmt.Fprintln(inW, toolCall(i, `"_meta":{}`, "burst", `{"n":100}`))
	}
	_ = inW.Close()
	select {
	case err := <-served:
		if !errors.Is(err, errUnread) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Serve waits for a client that does not read")
	}
	// The write that is under way cannot be cancelled; no other may follow.
	late := &lockedBuffer{}
	go func() { _, _ = io.Copy(late, outR) }()
	time.Sleep(300 * time.Millisecond)
	if n := len(late.String()); n > 64<<10 {
		t.Errorf("%d bytes written after the end", n)
	}
}

// A read error ends the input, and is returned.
func TestReadError(t *testing.T) {
	bad := errors.New("bad disk")
	var out bytes.Buffer
	in := io.MultiReader(strings.NewReader(toolCall(1, `"_meta":{}`, "slow", `{"ms":50}`)+"\n"), &failing{bad})
	if err := Serve(t.Context(), in, &out, sample()); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), "slept") {
		t.Errorf("not drained: %q", &out)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// Serve leaves no goroutines.
func TestNoGoroutineLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 30 {
		p := dial(t, sample())
		p.write(toolCall(1, `"_meta":{}`, "slow", anHour), cancelled(1),
			toolCall(2, `"_meta":{}`, "burst", `{"n":10}`), toolCall(3, `"_meta":{}`, "panic", `{}`))
		p.read()
		if i%2 == 0 {
			p.stop()
		}
		if _, err := p.end(); (err != nil) != (i%2 == 0) {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before: %s", runtime.NumGoroutine(), before, stacks())
		}
		time.Sleep(10 * time.Millisecond)
	}
}
