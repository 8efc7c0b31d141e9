package background

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/server/settings"
)

// The command lines of hosts give them our server and nothing that writes, and the limits that the person set.
func TestCommand(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"claude", "codex", "gemini", "own"} {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("DREAM_MIN_HOURS", "3")
	t.Setenv("ANTHROPIC_API_KEY", "for the host alone")
	t.Setenv("CLAUDECODE", "1")
	own := filepath.Join(t.TempDir(), "host")
	server := []string{"/bin/dream mcp", "serve", "--memory-dir", `/m/"quoted"`}
	setup := settings.Setup{Limits: settings.Limits{MaxTurns: 7, MaxUSD: 1.5, Model: "small"}}
	after := func(args []string, flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}

	cmd, err := command(t.Context(), setup, settings.ClaudeCode, server, own)
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		"--tools": "Read,Grep,Glob", "--allowedTools": "mcp__dream__*", "--permission-mode": "dontAsk", "--setting-sources": "user",
		"--settings": `{"disableAllHooks":true}`, "--max-turns": "7", "--max-budget-usd": "1.5", "--model": "small",
	} {
		if got := after(cmd.Args, flag); got != want {
			t.Errorf("claude %s %q, want %q", flag, got, want)
		}
	}
	for _, flag := range []string{"-p", "--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"} {
		if !slices.Contains(cmd.Args, flag) {
			t.Errorf("claude has no %s", flag)
		}
	}
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(after(cmd.Args, "--mcp-config")), &config); err != nil {
		t.Fatal(err)
	}
	s := config.Servers["dream"]
	if len(config.Servers) != 1 || s.Command != server[0] || !slices.Equal(s.Args, server[1:]) ||
		s.Env["DREAM_BACKGROUND"] != "1" || s.Env["DREAM_MIN_HOURS"] != "3" || s.Env["ANTHROPIC_API_KEY"] != "" {
		t.Errorf("%+v", config)
	}

	cmd, err = command(t.Context(), setup, "codex", server, own)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(cmd.Args[1:], " ")
	for _, part := range []string{"exec --sandbox read-only --ephemeral --ignore-user-config", `approval_policy="never"`,
		`web_search="disabled"`, `dream.args=["serve","--memory-dir","/m/\"quoted\""]`, `DREAM_BACKGROUND="1"`, "--model small -"} {
		if !strings.Contains(line, part) {
			t.Errorf("codex has no %s: %s", part, line)
		}
	}

	setup.Project = "/p, with a comma"
	if cmd, err = command(t.Context(), setup, "gemini", server, own); err != nil {
		t.Fatal(err)
	}
	line = strings.Join(cmd.Args[1:], " ")
	for _, part := range []string{"--approval-mode default --extensions none --allowed-mcp-server-names dream", "--admin-policy " + own, "--model small"} {
		if !strings.Contains(line, part) {
			t.Errorf("gemini has no %s: %s", part, line)
		}
	}
	if cmd.Dir != own || !slices.Contains(cmd.Env, "GEMINI_CLI_TRUST_WORKSPACE=true") {
		t.Errorf("gemini in %s with %q", cmd.Dir, cmd.Env)
	}
	for file, parts := range map[string][]string{
		"policy.toml": {"toolName = \"*\"\ndecision = \"deny\"", `toolName = ["list_directory","read_file","grep_search","glob"]`, `mcpName = "dream"`},
		".gemini/settings.json": {`"core":["list_directory","read_file","grep_search","glob"]`, `"allowed":["dream"]`,
			`"hooksConfig":{"enabled":false}`, `"maxSessionTurns":7`,
			`"includeDirectories":["/p, with a comma"]`, `"command":"/bin/dream mcp"`, `"DREAM_BACKGROUND":"1"`},
	} {
		text, err := os.ReadFile(filepath.Join(own, file))
		for _, part := range parts {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %s (%v): %s", file, part, err, text)
			}
		}
	}
	setup.Project = "/p/$HOME"
	if _, err := command(t.Context(), setup, "gemini", server, own); !errors.Is(err, host.ErrNoProgram) {
		t.Errorf("a path that Gemini CLI would change: %v", err)
	}
	if _, err := command(t.Context(), setup, "vscode", server, own); !errors.Is(err, host.ErrNoProgram) {
		t.Errorf("a host that is not known: %v", err)
	}
	setup.Limits.Command = []string{"own", "--config={mcp_config}", "{model}"}
	if cmd, err = command(t.Context(), setup, "gemini", server, own); err != nil ||
		!strings.HasPrefix(cmd.Args[1], `--config={"mcpServers"`) || cmd.Args[2] != "small" {
		t.Errorf("%v, %v", cmd, err)
	}
	setup.Limits.Command = []string{"nowhere"}
	if _, err = command(t.Context(), setup, settings.ClaudeCode, server, own); !errors.Is(err, host.ErrNoProgram) {
		t.Errorf("a program that is not there: %v", err)
	}

	env := environ()
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "CLAUDECODE=") }) ||
		!slices.Contains(env, "DREAM_BACKGROUND=1") || !slices.Contains(env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1") ||
		!slices.Contains(env, "ANTHROPIC_API_KEY=for the host alone") {
		t.Errorf("%q", env)
	}
}

// The cost and the outcome are read from the output of hosts; all else is only logged.
func TestReader(t *testing.T) {
	for _, row := range []struct {
		lines   []string
		turns   int
		tokens  ops.Tokens
		failure string
		logged  string
	}{
		{lines: []string{`{"type":"result","subtype":"success","num_turns":3,"total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":10,"cache_creation_input_tokens":100}}`}, turns: 3, tokens: ops.Tokens{Input: 1, Output: 2, CacheRead: 10, CacheCreated: 100}},
		{lines: []string{`{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":80}`}, turns: 80, failure: "error_max_turns"},
		{lines: []string{`{"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low"}`}, failure: "Credit balance"},
		{lines: []string{`{"type":"item.completed","item":{"type":"mcp_tool_call","tool":"dream_orient","arguments":{}}}`, `{"type":"turn.completed","usage":{"input_tokens":300,"cached_input_tokens":200,"output_tokens":15}}`}, turns: 1, tokens: ops.Tokens{Input: 100, Output: 15, CacheRead: 200}, logged: "calls dream_orient {}"},
		{lines: []string{`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"now"},{"type":"tool_use","name":"mcp__dream__read_memory","input":{"paths":["a.md"]}}]}}`}, logged: `calls mcp__dream__read_memory {"paths":["a.md"]}`},
		{lines: []string{`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"no such file"}]}]}}`}, logged: `refused [{"type":"text","text":"no such file"}]`},
		{lines: []string{`{"type":"turn.failed","error":{"message":"no login"}}`}, failure: "no login"},
		{lines: []string{`{"type":"message","role":"assistant","content":"a"}`, `{"type":"tool_use","tool_name":"mcp_dream_dream_orient","parameters":{}}`,
			`{"type":"tool_result","status":"error","error":{"type":"x","message":"y"}}`,
			`{"type":"result","status":"success","stats":{"total_tokens":8080,"input_tokens":8000,"output_tokens":80,"tool_calls":6}}`}, turns: 7, tokens: ops.Tokens{Input: 8000, Output: 80}},
		{lines: []string{`{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"too many turns"},"stats":{"total_tokens":5,"tool_calls":1}}`}, turns: 2, tokens: ops.Tokens{Input: 5}, failure: "too many turns"},
		{lines: []string{`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":null,"error":"rate_limit"}`},
			logged: "tries again, 1 of 10: rate_limit"},
		{lines: []string{`{"type":"error","message":"Reconnecting... 2/5"}`}, logged: "error: Reconnecting... 2/5"},
		{lines: []string{`{"type":"message","role":"assistant","content":"and so"}`}, logged: "assistant: and so"},
		{lines: []string{`{"type":"turn.failed","error":{"message":"\u001b[1mno\u001b[0m\u202e login"}}`}, failure: "failed: no⟨U+202E⟩ login"},
		{lines: []string{`{"kind":"` + strings.Repeat("x", 1000) + `"}`}, logged: "xxx…"},
		{lines: []string{"plain words", "{", "[]", `{"type":7}`, "", `{"type":"assistant","message":{"content":"text"}}`}},
	} {
		path := filepath.Join(t.TempDir(), "log")
		log, err := openLog(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(log)
		for _, line := range row.lines {
			r.line(line)
		}
		r.flush()
		log.close()
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), row.logged) || len(text) > 700 {
			t.Errorf("%q: logged %s", row.lines, text)
		}
		if r.end.Turns != row.turns || r.end.Tokens != row.tokens || (r.failure == "") != (row.failure == "") || !strings.Contains(r.failure, row.failure) {
			t.Errorf("%q: %+v, %q", row.lines, r.end, r.failure)
		}
	}
}

// Of a message that never ends, in pieces of a word, no more is kept than the log shows.
func TestReaderOfManyPieces(t *testing.T) {
	log, err := openLog(filepath.Join(t.TempDir(), "log"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	r := newReader(log)
	for range 20_000 {
		r.line(`{"type":"message","role":"assistant","content":"word "}`)
	}
	if len(r.words) > maxWords+len("word ") {
		t.Errorf("%d bytes are kept", len(r.words))
	}
	r.line(`{"type":"result"}`)
	if log.size < 1_000 || log.size > 3_000 {
		t.Errorf("%d bytes are logged", log.size)
	}
}
