package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// serveVariable makes the test binary the server itself, for the tests in which
// signals and ends of pipes must be real.
const serveVariable = "SERVER_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := sample()
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	err := Serve(ctx, os.Stdin, os.Stdout, o)
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
}

// sample is a server with a tool for each kind of behaviour.
func sample() Options {
	text := func(s string) (*mcp.CallToolResult, error) { return mcp.NewToolResultText(s), nil }
	tool := func(name string, reads bool, h mcpserver.ToolHandlerFunc) mcpserver.ServerTool {
		t := mcp.NewToolWithRawSchema(name, "the tool "+name+": a < b & c > d", json.RawMessage(`{"type":"object"}`))
		t.Annotations.ReadOnlyHint = &reads
		return mcpserver.ServerTool{Tool: t, Handler: h}
	}
	var mu sync.Mutex
	var written []string
	return Options{
		Name: "sample", Title: "Sample", Version: "1.2.3", Description: "for tests",
		Instructions: "Use echo.",
		Tools: []mcpserver.ServerTool{
			tool("echo", true, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return text(r.GetString("text", ""))
			}),
			tool("slow", true, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				select {
				case <-time.After(time.Duration(r.GetInt("ms", 0)) * time.Millisecond):
					return text("slept")
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}),
			tool("ignoring", true, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				time.Sleep(time.Duration(r.GetInt("ms", 0)) * time.Millisecond)
				return text("slept")
			}),
			tool("burst", true, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				for i := range r.GetInt("n", 0) {
					if err := progress(ctx, i); err != nil {
						return nil, err
					}
				}
				return text("burst done")
			}),
			tool("late", true, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				go func() {
					time.Sleep(20 * time.Millisecond)
					_ = progress(ctx, 1)
				}()
				return text("first")
			}),
			tool("write", false, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				select {
				case <-time.After(time.Duration(r.GetInt("ms", 0)) * time.Millisecond):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				written = append(written, r.GetString("text", ""))
				return text("written")
			}),
			tool("written", true, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				mu.Lock()
				defer mu.Unlock()
				return text(strings.Join(written, ","))
			}),
			tool("panic", true, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				panic("inner secret")
			}),
			tool("fail", true, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("inner secret")
			}),
			tool("nothing", true, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, nil
			}),
			tool("odd", true, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{StructuredContent: func() {}}, nil // no JSON
			}),
			tool("ask", true, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if a := mcpserver.ElicitationResponse(r.Params.InputResponses, "sure"); a != nil {
					return text("answered " + string(a.Action))
				}
				return mcpserver.NewInputRequestBuilder("state").Elicit("sure", mcp.ElicitationParams{
					Message: "Sure?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
				}).ToolResult(), nil
			}),
		},
		Prompts: []mcpserver.ServerPrompt{{
			Prompt: mcp.NewPrompt("greet", mcp.WithPromptDescription("greets"), mcp.WithArgument("who", mcp.RequiredArgument())),
			Handler: func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				who := r.Params.Arguments["who"]
				if who == "" {
					return nil, fmt.Errorf("argument %q is missing: %w", "who", mcp.ErrInvalidParams)
				}
				return mcp.NewGetPromptResult("greets", []mcp.PromptMessage{
					mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("hello "+who))}), nil
			},
		}},
		Resources: []mcpserver.ServerResource{{
			Resource: mcp.NewResource("sample://one", "one", mcp.WithMIMEType("text/plain")),
			Handler:  readResource,
		}},
		Templates: []mcpserver.ServerResourceTemplate{{
			Template: mcp.NewResourceTemplate("sample://file/{+path}", "file"),
			Handler:  readResource,
		}},
	}
}

func readResource(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	switch uri := r.Params.URI; uri {
	case "sample://file/none":
		return nil, fmt.Errorf("%q: %w", uri, mcp.ErrResourceNotFound)
	case "sample://file/slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case "sample://file/broken":
		return nil, errors.New("inner secret")
	default:
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, Text: "<text>"}}, nil
	}
}

func progress(ctx context.Context, i int) error {
	return mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress",
		map[string]any{"progressToken": "p", "progress": i})
}

// A peer is the client of a server that runs at the other end of two pipes.
type peer struct {
	t      *testing.T
	in     io.WriteCloser
	out    io.ReadCloser
	lines  chan string
	served chan error
	stop   context.CancelFunc
	log    *lockedBuffer
	send   sync.Mutex
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func dial(t *testing.T, o Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &peer{t: t, in: inW, out: outR, served: make(chan error, 1), stop: stop, log: &lockedBuffer{}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(p.log, nil))
	}
	go func() {
		err := Serve(ctx, inR, outW, o)
		_ = inR.Close()
		_ = outW.Close()
		p.served <- err
	}()
	p.listen()
	return p
}

// spawn is dial with a process of its own and the system's pipes.
func spawn(t *testing.T) *peer {
	t.Helper()
	cmd := child(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe() // not cmd's, which Wait would close under the reader
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, in: in, out: out, served: make(chan error, 1), log: &lockedBuffer{}}
	cmd.Stdout, cmd.Stderr = w, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	p.stop = func() { _ = cmd.Process.Kill() }
	go func() { p.served <- cmd.Wait() }()
	p.listen()
	return p
}

// listen reads what the server writes.
func (p *peer) listen() {
	p.lines = make(chan string, 100_000)
	go func() {
		defer close(p.lines)
		r := bufio.NewReaderSize(p.out, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				p.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	p.t.Cleanup(func() {
		p.stop()
		_ = p.in.Close()
		_ = p.out.Close()
	})
}

// write writes lines as they are.
func (p *peer) write(lines ...string) {
	p.t.Helper()
	p.send.Lock()
	defer p.send.Unlock()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// end closes the server's input, and returns what it wrote until it ended.
func (p *peer) end() (lines []string, err error) {
	p.t.Helper()
	_ = p.in.Close()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return lines, <-p.served
			}
			lines = append(lines, line)
		case <-time.After(time.Minute):
			p.t.Fatalf("the server does not end: %s", stacks())
		}
	}
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// A reply is any message of the server.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	raw string
}

func decode(t testing.TB, line string) reply {
	t.Helper()
	r := reply{raw: line}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.JSONRPC != "2.0" {
		t.Fatalf("not a message: %q: %v", line, err)
	}
	return r
}

// read reads the next message.
func (p *peer) read() reply {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the server has ended")
		}
		return decode(p.t, line)
	case <-time.After(time.Minute): // it hangs; a busy machine takes seconds
		p.t.Fatalf("no answer; log: %s\n%s", p.log, stacks())
	}
	panic("unreachable")
}

// ask writes one line and reads one.
func (p *peer) ask(line string) reply {
	p.t.Helper()
	p.write(line)
	return p.read()
}

// silent fails when there is something to read: a ping's answer must be next.
func (p *peer) silent() {
	p.t.Helper()
	if r := p.ask(`{"jsonrpc":"2.0","id":"silent","method":"ping"}`); string(r.ID) != `"silent"` {
		p.t.Fatalf("unexpected message: %s", r.raw)
	}
}

func (r reply) code() int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// eras are the two protocol eras: extra is the member that each request's params
// need, with a comma after it where more may follow.
var eras = []struct {
	name  string
	meta  string
	open  string
	gone  int // code for a resource that is not there
	later bool
}{
	{"legacy", `"_meta":{}`, `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}}}`, -32002, false},
	{"modern", modernMeta(`{}`), `{"jsonrpc":"2.0","id":"open","method":"server/discover","params":{` + modernMeta(`{}`) + `}}`, -32602, true},
}

func modernMeta(capabilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

func toolCall(id any, meta, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{%s,"name":%q,"arguments":%s}}`, id, meta, tool, arguments)
}

func cancelled(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v,"reason":"test"}}`, id)
}

func TestOpen(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			p := dial(t, sample())
			r := p.ask(era.open)
			var got struct {
				ProtocolVersion   string                     `json:"protocolVersion"`
				SupportedVersions []string                   `json:"supportedVersions"`
				Capabilities      map[string]json.RawMessage `json:"capabilities"`
				Instructions      string                     `json:"instructions"`
				ResultType        string                     `json:"resultType"`
				TTL               int                        `json:"ttlMs"`
				CacheScope        string                     `json:"cacheScope"`
			}
			if err := json.Unmarshal(r.Result, &got); err != nil {
				t.Fatalf("%s: %v", r.raw, err)
			}
			// Only what is implemented is advertised.
			want := map[string]string{"tools": "{}", "prompts": "{}", "resources": `{}`}
			if len(got.Capabilities) != len(want) {
				t.Errorf("capabilities: %s", r.raw)
			}
			for k, v := range want {
				if string(got.Capabilities[k]) != v {
					t.Errorf("capability %s: got %s, want %s", k, got.Capabilities[k], v)
				}
			}
			if got.Instructions != "Use echo." {
				t.Errorf("instructions: %q", got.Instructions)
			}
			if !strings.Contains(r.raw, `"name":"sample"`) || !strings.Contains(r.raw, `"title":"Sample"`) {
				t.Errorf("identity: %s", r.raw)
			}
			if era.later && (len(got.SupportedVersions) == 0 || got.TTL != 3_600_000 || got.CacheScope != "public" || got.ResultType != "complete") {
				t.Errorf("discover: %s", r.raw)
			}
			if !era.later && got.ProtocolVersion != "2025-11-25" {
				t.Errorf("version: %s", r.raw)
			}
		})
	}
}

// Subscriptions are not offered.
func TestNoSubscriptions(t *testing.T) {
	p := dial(t, sample())
	if r := p.ask(eras[0].open); strings.Contains(r.raw, "subscribe") {
		t.Errorf("subscribe advertised: %s", r.raw)
	}
	if r := p.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"sample://one"}}`); r.code() != -32601 {
		t.Errorf("subscribe: %s", r.raw)
	}
}

func TestNothingToServe(t *testing.T) {
	p := dial(t, Options{})
	if r := p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); r.code() != -32601 {
		t.Errorf("got %s", r.raw)
	}
	if _, err := p.end(); err != nil {
		t.Error(err)
	}
}

// What a handler and mcp-go answer, in both eras.
func TestAnswers(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			p := dial(t, sample())
			p.ask(era.open)
			for _, row := range []struct {
				name, method, params string
				code                 int
				want                 string // in the whole line
			}{
				{"tools", "tools/list", ``, 0, `the tool echo: a \u003c b \u0026 c`},
				{"prompts", "prompts/list", ``, 0, `"greet"`},
				{"resources", "resources/list", ``, 0, `sample://one`},
				{"templates", "resources/templates/list", ``, 0, `sample://file/{+path}`},
				{"cursor that we never gave", "tools/list", `"cursor":"eA=="`, -32602, "unknown cursor"},
				{"empty cursor", "tools/list", `"cursor":""`, 0, `"echo"`},
				{"call", "tools/call", `"name":"echo","arguments":{"text":"a<b>&\\u003c"}`, 0, `"a\u003cb\u003e\u0026\\u003c"`},
				{"null arguments", "tools/call", `"name":"echo","arguments":null`, 0, `"text":""`},
				{"no arguments", "tools/call", `"name":"echo"`, 0, `"text":""`},
				{"lone surrogate", "tools/call", `"name":"echo","arguments":{"text":"\ud800"}`, 0, "\uFFFD"},
				{"unknown tool", "tools/call", `"name":"none"`, -32602, "none"},
				{"panic", "tools/call", `"name":"panic"`, -32603, `"internal error"`},
				{"error", "tools/call", `"name":"fail"`, -32603, `"internal error"`},
				{"no result", "tools/call", `"name":"nothing"`, -32603, `"internal error"`},
				{"result that is not JSON", "tools/call", `"name":"odd"`, -32603, `"internal error"`},
				{"name of a wrong type", "tools/call", `"name":5`, -32602, "name must not be of type number"},
				{"prompt", "prompts/get", `"name":"greet","arguments":{"who":"you"}`, 0, "hello you"},
				{"prompt without its argument", "prompts/get", `"name":"greet"`, -32602, "who"},
				{"prompt arguments of a wrong type", "prompts/get", `"name":"greet","arguments":[1]`, -32602, "arguments must not be of type array"},
				{"unknown prompt", "prompts/get", `"name":"none"`, -32602, "none"},
				{"resource", "resources/read", `"uri":"sample://one"`, 0, "<text>"},
				{"from a template", "resources/read", `"uri":"sample://file/a"`, 0, "<text>"},
				{"a template's not found", "resources/read", `"uri":"sample://file/none"`, era.gone, `"data":{"uri":"sample://file/none"}`},
				{"a template's failure", "resources/read", `"uri":"sample://file/broken"`, -32603, `"internal error"`},
				{"unknown resource", "resources/read", `"uri":"other://one"`, era.gone, `"data":{"uri":"other://one"}`},
				{"unknown method", "nosuch/method", ``, -32601, "nosuch/method"},
				{"a notification's name", "notifications/initialized", ``, -32601, ""},
				{"logging", "logging/setLevel", `"level":"debug"`, -32601, ""},
				{"tasks", "tasks/list", ``, -32601, ""},
				{"completion", "completion/complete", ``, -32601, ""},
			} {
				params := era.meta
				if row.params != "" {
					params += "," + row.params
				}
				r := p.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, row.method, params))
				if r.code() != row.code || !strings.Contains(r.raw, row.want) || string(r.ID) != "7" {
					t.Errorf("%s: got %s", row.name, r.raw)
				}
				for _, leak := range []string{"inner secret", "Go value", "mcp."} {
					if strings.Contains(r.raw, leak) {
						t.Errorf("%s: %q on the wire: %s", row.name, leak, r.raw)
					}
				}
			}
			for _, want := range []string{"inner secret", "server_test.go"} { // the stack of the panic
				if !strings.Contains(p.log.String(), want) {
					t.Errorf("log lacks %q: %s", want, p.log)
				}
			}
		})
	}
}

func TestCacheHints(t *testing.T) {
	p := dial(t, sample())
	for method, want := range map[string]string{
		"tools/list":               `"ttlMs":3600000,"cacheScope":"public"`,
		"prompts/list":             `"ttlMs":3600000,"cacheScope":"public"`,
		"resources/templates/list": `"ttlMs":3600000,"cacheScope":"public"`,
		"server/discover":          `"ttlMs":3600000,"cacheScope":"public"`,
		"resources/list":           `"ttlMs":0,"cacheScope":"private"`,
		"resources/read":           `"ttlMs":0,"cacheScope":"private"`,
	} {
		r := p.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"uri":"sample://one",%s}}`, method, modernMeta(`{}`)))
		if !strings.Contains(r.raw, want) {
			t.Errorf("%s: %s", method, r.raw)
		}
	}
}

// The modern era has no handshake, no ping, no subscribe.
func TestErasApart(t *testing.T) {
	p := dial(t, sample())
	modern := modernMeta(`{}`)
	for _, row := range []struct {
		method, params string
		code           int
	}{
		{"ping", modern, -32601},
		{"initialize", modern, -32601},
		{"resources/subscribe", modern + `,"uri":"sample://one"`, -32601},
		// Modern methods alone: what they lack is named.
		{"server/discover", ``, -32602},
		{"server/discover", `"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}`, -32602},
		{"server/discover", `"_meta":5`, -32602},
		{"subscriptions/listen", modern + `,"notifications":{}`, -32601},
		{"server/discover", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, -32602}, // no capabilities
		{"server/discover", strings.Replace(modern, "2026-07-28", "2099-01-01", 1), -32022},
		{"ping", ``, 0},
	} {
		r := p.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, row.method, row.params))
		if r.code() != row.code {
			t.Errorf("%s {%s}: got %s, want code %d", row.method, row.params, r.raw, row.code)
		}
	}
}

// Input is asked for only from a client that declared it, in that very request.
func TestElicitation(t *testing.T) {
	p := dial(t, sample())
	p.ask(fmt.Sprintf(introduced, `{}`))
	for _, row := range []struct {
		name, meta string
		code       int
		want       string
	}{
		{"legacy, not declared", `"_meta":{}`, -32603, ""},
		{"modern, declared", modernMeta(`{"elicitation":{"form":{}}}`), 0, `"resultType":"input_required"`},
		{"modern, declared as it was once", modernMeta(`{"elicitation":{}}`), 0, `"resultType":"input_required"`},
		{"modern, not declared", modernMeta(`{}`), -32021, `"requiredCapabilities":{"elicitation":{}}`},
		{"modern, another mode declared", modernMeta(`{"elicitation":{"url":{}}}`), -32021, `"requiredCapabilities":{"elicitation":{}}`},
	} {
		r := p.ask(toolCall(2, row.meta, "ask", `{}`))
		if r.code() != row.code || !strings.Contains(r.raw, row.want) || r.Method != "" {
			t.Errorf("%s: got %s", row.name, r.raw)
		}
		p.silent()
	}
	r := p.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{` + modernMeta(`{"elicitation":{"form":{}}}`) +
		`,"name":"ask","requestState":"state","inputResponses":{"sure":{"action":"cancel"}}}}`)
	if !strings.Contains(r.raw, "answered cancel") {
		t.Errorf("retry: %s", r.raw)
	}
}

// What one modern request says of its client does not apply to another, and the
// legacy client stays what initialize said.
func TestClientIsPerRequest(t *testing.T) {
	o := sample()
	who := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
		return mcp.NewToolResultText(fmt.Sprintf("%s %t", c.GetClientInfo().Name, c.GetClientCapabilities().Elicitation != nil)), nil
	}
	o.Tools = append(o.Tools, mcpserver.ServerTool{Tool: mcp.NewToolWithRawSchema("who", "who", json.RawMessage(`{"type":"object"}`)), Handler: who})
	p := dial(t, o)
	p.ask(strings.Replace(eras[0].open, `"name":"t"`, `"name":"old"`, 1))
	for _, row := range []struct{ meta, want string }{
		{`"_meta":{}`, "old false"},
		{modernMeta(`{"elicitation":{}}`), "t true"},
		{modernMeta(`{}`), "t false"},
		{`"_meta":{}`, "old false"},
	} {
		if r := p.ask(toolCall(1, row.meta, "who", `{}`)); !strings.Contains(r.raw, row.want) {
			t.Errorf("got %s, want %q", r.raw, row.want)
		}
	}
}
