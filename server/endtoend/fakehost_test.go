package endtoend

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fakeHost is a host that runs a dream in the background: fakehost MCP_CONFIG, with the prompt on standard input. It
// starts the server that the configuration names, runs the lines of the file in $HOST_SCRIPT, and prints its work as
// stream-json of Claude Code. A line is a tool and its arguments, where {{REGEXP}} is replaced by the first group of
// its last match in the answers so far; or "sh COMMAND", "hang", "stubborn" (from then on it ignores SIGTERM), or
// "result JSON", printed at the end.
func fakeHost() {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil || !strings.Contains(string(prompt), "dream_orient") {
		fail("no prompt of a dream: %q, %v", prompt, err)
	}
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &config); err != nil {
		fail("the configuration: %v", err)
	}
	names := slices.Collect(maps.Keys(config.Servers))
	if len(names) != 1 {
		fail("%d servers", len(names))
	}
	server := config.Servers[names[0]]
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Env, cmd.Stderr = variables(homeVariables, os.Getenv), os.Stderr
	for name, value := range server.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		fail("the server: %v", err)
	}
	h := &conversation{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	h.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "fakehost", "version": "1"}})
	script, err := os.ReadFile(os.Getenv("HOST_SCRIPT"))
	if err != nil {
		fail("%v", err)
	}
	result := `{"type":"result","subtype":"success","is_error":false,"num_turns":7,"total_cost_usd":0.0123,"usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":3000}}`
	for line := range strings.Lines(string(script)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "", "#":
		case "sh":
			if out, err := exec.Command("sh", "-ec", rest).CombinedOutput(); err != nil {
				fail("%s: %v: %s", rest, err, out)
			}
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
		case "hang":
			time.Sleep(time.Hour)
		case "result":
			result = rest
		default:
			h.tool(verb, rest)
		}
	}
	fmt.Println(result)
	in.Close()
	cmd.Wait()
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

type conversation struct {
	in   io.Writer
	out  *bufio.Reader
	id   int
	said string
}

func (h *conversation) tool(name, arguments string) {
	arguments = placeholder.ReplaceAllStringFunc(arguments, func(p string) string {
		found := regexp.MustCompile(p[2:len(p)-2]).FindAllStringSubmatch(h.said, -1)
		if found == nil {
			fail("nothing was answered that fits %s: %s", p, h.said)
		}
		return found[len(found)-1][1]
	})
	fmt.Printf(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":%s,"input":%s}]}}`+"\n", strconv.Quote(name), arguments)
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(h.call("tools/call", map[string]any{"name": name, "arguments": json.RawMessage(arguments)}), &r); err != nil || len(r.Content) == 0 {
		fail("%s answered nothing: %v", name, err)
	}
	h.said += r.Content[0].Text + "\n"
	text, _ := json.Marshal(r.Content[0].Text)
	fmt.Printf(`{"type":"user","message":{"content":[{"type":"tool_result","is_error":%v,"content":%s}]}}`+"\n", r.IsError, text)
}

func (h *conversation) call(method string, params any) json.RawMessage {
	h.id++
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": h.id, "method": method, "params": params})
	h.in.Write(append(line, '\n'))
	for {
		line, err := h.out.ReadBytes('\n')
		if err != nil {
			fail("%s: %v", method, err)
		}
		var m struct {
			ID     any
			Result json.RawMessage
		}
		if json.Unmarshal(line, &m) == nil && m.ID == float64(h.id) {
			return m.Result
		}
	}
}
