package endtoend

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { commands["twice"] = twiceCommand }

// twiceCommand opens a dream in a server, asks for more than its output holds and reads nothing, so that the server
// ends slowly after a first SIGTERM; a second must end it at once. It prints how the server ended.
func twiceCommand(ts *testscript.TestScript, neg bool, args []string) {
	cmd := serverCommand(ts)
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	c := &client{ts: ts, in: in, out: bufio.NewReader(out)}
	c.call("tools/call", map[string]any{"name": "dream_orient", "arguments": map[string]any{"force": true}})
	for id := range 60 { // of 12 KB each
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":"%d","method":"tools/list"}`+"\n", id)
		ts.Check(err)
	}
	pipe := int(out.(*os.File).Fd())
	full, err := unix.FcntlInt(uintptr(pipe), unix.F_GETPIPE_SZ, 0)
	ts.Check(err)
	for deadline, before := time.Now().Add(patience), -1; ; time.Sleep(100 * time.Millisecond) {
		held, err := unix.IoctlGetInt(pipe, unix.TIOCINQ)
		ts.Check(err)
		if held > full/2 && held == before { // the pages of a pipe are seldom filled to their ends
			break
		}
		before = held
		if time.Now().After(deadline) {
			ts.Fatalf("the server has answered %d of %d bytes", held, full)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			fmt.Fprintln(ts.Stdout(), err)
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}
