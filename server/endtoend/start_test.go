package endtoend

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"bench","version":"1"},"capabilities":{}}}` + "\n"

// BenchmarkStart is the time from the start of a process to its answer to initialize. GODEBUG=inittrace=1 prints what
// runs before main: 3.6 ms are santhosh-tekuri/jsonschema's, which mcp-go/server imports.
func BenchmarkStart(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		cmd := exec.Command(binary(), "serve")
		cmd.Env, cmd.Dir = []string{"HOME=" + home}, home
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		_, _ = io.WriteString(in, initialize)
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = in.Close()
		_ = cmd.Wait()
		b.StartTimer()
	}
}

// BenchmarkStatus is one call of dream_status over the wire, in a project with sessions and a memory.
func BenchmarkStatus(b *testing.B) {
	s := soak(b)
	for b.Loop() {
		s.ask(b, tool("dream_status", `{}`))
	}
}

// BenchmarkList is one listing of the tools over the wire.
func BenchmarkList(b *testing.B) {
	s := soak(b)
	for b.Loop() {
		s.ask(b, method("tools/list", ``))
	}
}
