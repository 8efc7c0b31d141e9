package endtoend

import (
	"bufio"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"bench","version":"1"},"capabilities":{}}}` + "\n"

// A hook is started at every turn of every session: what our packages do before main is little. It is counted in
// allocations, which do not depend on how busy the machine is; they were 17,000 when each package compiled its
// expressions.
func TestLittleIsInitialized(t *testing.T) {
	cmd := exec.Command(binary(), "version")
	cmd.Env = []string{"HOME=" + t.TempDir(), "USERPROFILE=" + t.TempDir(), "GODEBUG=inittrace=1"}
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	sum, packages := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (dream-mcp/\S+) .* (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1) {
		n, _ := strconv.Atoi(m[2])
		if n > 200 {
			t.Errorf("%s allocates %d times before main", m[1], n)
		}
		sum, packages = sum+n, packages+1
	}
	if sum > 1_000 || packages < 10 {
		t.Errorf("%d packages allocate %d times before main:\n%s", packages, sum, trace.String())
	}
}

// BenchmarkStart is the time from the start of a process to its answer to initialize. GODEBUG=inittrace=1 prints what
// runs before main: most of it is santhosh-tekuri/jsonschema's, which mcp-go/server imports.
func BenchmarkStart(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		cmd := exec.Command(binary(), "serve")
		cmd.Env, cmd.Dir = []string{"HOME=" + home, "USERPROFILE=" + home}, home
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
