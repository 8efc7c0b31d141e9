package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dream-mcp/memory"
)

// mcpCommand starts a server and sends it the requests in a file, one a line, each after the answer to the last:
//
//	mcp FILE [ARG...]
//
// In a line {{REGEXP}} is replaced by the first group of its last match in the answers so far, {{*N}} by N bytes, and
// {{sum FILE}} by the sum of a memory.
// A line is one of:
//
//	TOOL ARGUMENTS                      a call of a tool
//	prompt NAME ARGUMENTS, resource URI, list KIND, request METHOD PARAMS
//	subscribe URI                       asks for updates of a resource, which are not offered
//	await REGEXP                        waits for a notification that matches
//	notify METHOD                       sends a notification
//	meta JSON                           is the _meta of the calls of tools that follow
//	greet CAPABILITIES                  sends initialize again, with other capabilities
//	folders DIR...                      sets the client's roots
//	answers ANSWER[|ANSWER...] TOOL ARGUMENTS
//	                                    calls a tool and answers its questions, each by ACTION[:CONTENT] or by a line of
//	                                    JSON in which ID is the question's and CALL the call's
//	asked ANSWER TOOL ARGUMENTS         the same in the newer protocol; see asked
//	sh COMMAND                          runs a command in the memory directory
//	signal NAME                         sends the server a signal
//	close stderr                        stops reading its standard error, if it is read
//
// The commands of a terminal are described there.
func mcpCommand(ts *testscript.TestScript, neg bool, args []string) {
	cmd := serverCommand(ts, args[1:]...)
	log, err := cmd.StderrPipe()
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	c := startClient(ts, cmd)
	c.log = log
	context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	c.greet()
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			c.do(line)
		}
	}
	if !c.signalled {
		ts.Check(c.in.Close())
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		ts.Check(err)
		if !notification.Match(line) { // others may come at any time
			ts.Fatalf("more on stdout: %s", line)
		}
	}
	logged, _ := io.ReadAll(log) // fails where the script has closed it
	if err := cmd.Wait(); err != nil && !c.killed {
		ts.Fatalf("the server ended with %v: %s", err, logged)
	}
	fmt.Fprint(ts.Stdout(), c.said.String())
	ts.Stderr().Write(logged)
}

var notification = regexp.MustCompile(`^\{"jsonrpc":"2.0","method":"notifications/`)

// client is the smallest MCP client: a request, then its answer.
type client struct {
	ts   *testscript.TestScript
	cmd  *exec.Cmd
	log  io.ReadCloser // its standard error, if it is read
	in   io.WriteCloser
	out  *bufio.Reader
	id   int
	said strings.Builder

	schemas           map[string]*jsonschema.Schema // of the tools' structured output
	received          string                        // all notifications so far
	meta              json.RawMessage               // of calls of tools
	answers           []string                      // to the next question of the server's, one after another
	folders           []any                         // the roots of this client
	signalled, killed bool
	terminal          *terminal
}

// startClient starts a server, and is its client.
func startClient(ts *testscript.TestScript, cmd *exec.Cmd) *client {
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	return &client{ts: ts, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// greet opens a session and reads the schemas of the tools' answers.
func (c *client) greet() {
	c.introduce("{}")
	c.notify("notifications/initialized")
	c.schemas = outputSchemas(c.ts, c.call("tools/list", map[string]any{}))
}

func (c *client) introduce(capabilities string) {
	c.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": json.RawMessage(capabilities), "clientInfo": map[string]any{"name": "script", "version": "1"}})
}

var signals = map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": os.Interrupt, "HUP": syscall.SIGHUP, "KILL": os.Kill}

// outputSchemas compiles the output schemas in a listing of tools.
func outputSchemas(ts *testscript.TestScript, listing json.RawMessage) map[string]*jsonschema.Schema {
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
	}
	ts.Check(json.Unmarshal(listing, &list))
	schemas := map[string]*jsonschema.Schema{}
	for _, tool := range list.Tools {
		if tool.OutputSchema == nil {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.OutputSchema))
		ts.Check(err)
		compiler := jsonschema.NewCompiler()
		ts.Check(compiler.AddResource("output.json", doc))
		schemas[tool.Name], err = compiler.Compile("output.json")
		ts.Check(err)
	}
	return schemas
}

var placeholder = regexp.MustCompile(`\{\{(.*?)\}\}`)

func (c *client) do(line string) {
	fmt.Fprintf(&c.said, "== %s\n", line)
	line = placeholder.ReplaceAllStringFunc(line, func(p string) string {
		if n, err := strconv.Atoi(strings.TrimPrefix(p[2:len(p)-2], "*")); err == nil && p[2] == '*' {
			return strings.Repeat("x", n)
		}
		if file, ok := strings.CutPrefix(p[2:len(p)-2], "sum "); ok {
			return memory.SumOf([]byte(c.ts.ReadFile(c.ts.Getenv("MEMORY") + "/" + file))).Short()
		}
		found := regexp.MustCompile(p[2:len(p)-2]).FindAllStringSubmatch(c.said.String(), -1)
		if found == nil {
			c.ts.Fatalf("nothing was answered that fits %s:\n%s", p, c.said.String())
		}
		return found[len(found)-1][1]
	})
	verb, rest, _ := strings.Cut(strings.ReplaceAll(line, "$WORK", c.ts.Getenv("WORK")), " ")
	switch verb {
	case "sh":
		cmd := exec.Command("sh", "-ec", rest)
		cmd.Dir, cmd.Env = c.ts.Getenv("MEMORY"), c.cmd.Env
		out, err := cmd.CombinedOutput()
		fmt.Fprintf(&c.said, "%s", out)
		if err != nil {
			c.ts.Fatalf("%v\n%s", err, c.said.String())
		}
	case "subscribe":
		fmt.Fprintf(&c.said, "%s\n", c.call("resources/subscribe", map[string]any{"uri": rest}))
	case "await":
		for !regexp.MustCompile(rest).MatchString(c.received) {
			line, err := c.out.ReadString('\n')
			c.ts.Check(err)
			c.received += line
		}
		fmt.Fprintf(&c.said, "received %s\n", regexp.MustCompile(".*"+rest+".*").FindString(c.received))
	case "meta":
		c.meta = json.RawMessage(rest)
	case "terminal":
		c.terminal = openTerminal(c.ts, c.cmd.Path, c.cmd.Env, rest)
	case "see", "gone", "press", "strike", "resize", "ended", "left":
		c.terminal.do(verb, rest)
	case "signal":
		c.ts.Check(c.cmd.Process.Signal(signals[rest]))
		c.signalled, c.killed = true, rest == "KILL"
	case "close":
		c.ts.Check(c.log.Close())
	case "greet":
		c.introduce(rest)
	case "folders":
		c.folders = nil
		for _, folder := range strings.Fields(rest) {
			uri := url.URL{Scheme: "file", Path: c.ts.MkAbs(folder)}
			c.folders = append(c.folders, map[string]any{"uri": uri.String()})
		}
	case "notify":
		c.notify(rest)
	case "answers":
		answers, rest, _ := strings.Cut(rest, " ")
		c.answers = strings.Split(answers, "|")
		tool, arguments, _ := strings.Cut(rest, " ")
		c.tool(tool, arguments)
	case "asked":
		answer, rest, _ := strings.Cut(rest, " ")
		tool, arguments, _ := strings.Cut(rest, " ")
		c.asked(answer, tool, arguments)
	case "request":
		method, params, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&c.said, "%s\n", c.call(method, json.RawMessage(params)))
	case "list":
		fmt.Fprintf(&c.said, "%s\n", c.call(rest+"/list", map[string]any{}))
	case "resource":
		fmt.Fprintf(&c.said, "%s\n", c.call("resources/read", map[string]any{"uri": rest}))
	case "prompt":
		name, arguments, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&c.said, "%s\n", c.call("prompts/get", map[string]any{"name": name, "arguments": json.RawMessage(arguments)}))
	default:
		c.tool(verb, rest)
	}
}

// asked calls a tool as a client of the newer protocol, notes each question, and calls again with the
// answer: "asked ACTION[:CONTENT] TOOL ARGUMENTS". With the action "forged" it sends an answer to a question that was
// not asked.
func (c *client) asked(answer, tool, arguments string) {
	action, content, _ := strings.Cut(answer, ":")
	params := map[string]any{
		"name": tool, "arguments": json.RawMessage(arguments),
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "script", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{}}, "roots": map[string]any{}},
		},
	}
	response := map[string]any{"action": action}
	if content != "" {
		response["content"] = json.RawMessage(content)
	}
	if action == "forged" {
		response["action"] = "accept"
		params["inputResponses"], params["requestState"] = map[string]any{"agree": response}, "99999999999.00"
	}
	for {
		result := c.call("tools/call", params)
		var question struct {
			InputRequests map[string]struct {
				Method string
				Params struct{ Message string }
			}
			RequestState string
		}
		c.ts.Check(json.Unmarshal(result, &question))
		if question.RequestState == "" || action == "forged" {
			fmt.Fprintf(&c.said, "%s\n", result)
			return
		}
		answers := map[string]any{}
		for id, request := range question.InputRequests {
			answers[id] = response
			if request.Method == "roots/list" {
				answers[id] = map[string]any{"roots": append([]any{}, c.folders...)}
			}
			fmt.Fprintf(&c.said, "%s %s\n", request.Method, request.Params.Message)
		}
		params["inputResponses"], params["requestState"] = answers, question.RequestState
	}
}

// tool calls a tool and notes its text. Structured content must be equal to it.
func (c *client) tool(name, arguments string) {
	params := map[string]any{"name": name, "arguments": json.RawMessage(arguments)}
	if c.meta != nil {
		params["_meta"] = c.meta
	}
	answer := c.call("tools/call", params)
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(answer, &result); err != nil || len(result.Content) != 1 {
		fmt.Fprintf(&c.said, "%s\n", answer)
		return
	}
	text := result.Content[0].Text
	limit := 48_000
	if result.IsError {
		limit = 10_000
		c.said.WriteString("(error) ")
	}
	if n := len([]rune(text)); n > limit {
		c.ts.Fatalf("%s answered %d characters", name, n)
	}
	if schema := c.schemas[name]; (schema == nil) != (result.StructuredContent == nil) && !result.IsError {
		c.ts.Fatalf("%s has a schema of its output: %v, and answered %s", name, schema != nil, answer)
	}
	if result.StructuredContent != nil {
		var a, b any
		c.ts.Check(json.Unmarshal(result.StructuredContent, &a))
		if err := c.schemas[name].Validate(a); err != nil {
			c.ts.Fatalf("%s answered what its schema does not allow: %v\n%s", name, err, result.StructuredContent)
		}
		c.ts.Check(json.Unmarshal([]byte(text), &b))
		if !reflect.DeepEqual(a, b) {
			c.ts.Fatalf("%s answered two things:\n%s\n%s", name, result.StructuredContent, text)
		}
	}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		jsonKeys.add(name, value)
	}
	c.said.WriteString(text + "\n")
}

func (c *client) notify(method string) {
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","method":%q}`+"\n", method)
}

// call sends a request and returns its result, or its error as a JSON-RPC error object.
func (c *client) call(method string, params any) json.RawMessage {
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	c.ts.Check(err)
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.ts.Fatalf("%s: %v", method, err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			var log []byte
			if c.log != nil {
				log, _ = io.ReadAll(c.log)
			}
			c.ts.Fatalf("%s: the server answered nothing: %v\n%s%s", method, err, c.said.String(), log)
		}
		var m struct {
			ID     any
			Method string
			Params struct{ Message string }
			Result json.RawMessage
			Error  json.RawMessage
		}
		c.ts.Check(json.Unmarshal(line, &m))
		if m.Method == "roots/list" {
			fmt.Fprintf(&c.said, "asked for folders\n")
			line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"roots": append([]any{}, c.folders...)}})
			c.ts.Check(err)
			_, err = c.in.Write(append(line, '\n'))
			c.ts.Check(err)
			continue
		}
		if m.Method != "" && m.ID != nil {
			fmt.Fprintf(&c.said, "%s: %s\n", m.Method, m.Params.Message)
			c.answer(m.ID)
			continue
		}
		if m.ID != float64(c.id) {
			c.received += string(line)
			continue
		}
		if m.Error != nil {
			return append([]byte("protocol error "), m.Error...)
		}
		return m.Result
	}
}

// answer sends the answers that the script has set to a question of the server.
func (c *client) answer(id any) {
	for _, answer := range c.answers {
		if !strings.HasPrefix(answer, "{") {
			action, content, _ := strings.Cut(answer, ":")
			result := map[string]any{"action": action}
			if content != "" {
				result["content"] = json.RawMessage(content)
			}
			line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
			c.ts.Check(err)
			answer = string(line)
		}
		_, err := io.WriteString(c.in, strings.NewReplacer("CALL", strconv.Itoa(c.id), "ID", fmt.Sprint(id)).Replace(answer)+"\n")
		c.ts.Check(err)
	}
}
