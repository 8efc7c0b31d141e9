package background

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// errNoProgram says that no host can be started.
var errNoProgram = errors.New("no program to dream with")

// command is a host without a person: the prompt comes on its standard input. The host may use the tools
// of our server, whose command line is server, and read the project. It may do nothing else. The folder own, which is made
// if needed, holds the settings that a host reads from files.
func command(ctx context.Context, setup host.Setup, firing string, server []string, own string) (*exec.Cmd, error) {
	cmd, err := commandLine(ctx, setup, firing, server, own)
	if err != nil {
		return nil, err
	}
	if cmd.Dir == "" {
		cmd.Dir = setup.Project
	}
	cmd.Env = append(environ(), cmd.Env...)
	return cmd, nil
}

func commandLine(ctx context.Context, setup host.Setup, firing string, server []string, own string) (*exec.Cmd, error) {
	l := setup.Limits
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"dream": map[string]any{
		"type": "stdio", "command": server[0], "args": server[1:], "env": handed(),
	}}})
	if err != nil {
		return nil, err
	}
	if len(l.Command) > 0 {
		args := slices.Clone(l.Command)
		for i := range args {
			args[i] = strings.NewReplacer("{mcp_config}", string(config), "{model}", l.Model).Replace(args[i])
		}
		return find(ctx, args[0], args[1:])
	}
	if firing == host.Codex {
		return find(ctx, "codex", codex(l.Model, server))
	}
	if firing == host.Gemini {
		return gemini(ctx, setup, server, own)
	}
	if firing != host.ClaudeCode {
		return nil, fmt.Errorf("%w: how %s is started without a person is not known; set background_command in config.json", errNoProgram, firing)
	}
	args := []string{
		"-p", "--tools", "Read,Grep,Glob", "--strict-mcp-config", "--mcp-config", string(config),
		"--allowedTools", "mcp__dream__*", "--permission-mode", "dontAsk", "--max-turns", strconv.Itoa(l.MaxTurns),
		"--output-format", "stream-json", "--verbose", "--no-session-persistence", "--disable-slash-commands",
		"--setting-sources", "user", "--settings", `{"disableAllHooks":true}`,
	}
	if l.MaxUSD > 0 {
		args = append(args, "--max-budget-usd", strconv.FormatFloat(l.MaxUSD, 'f', -1, 64))
	}
	if l.Model != "" {
		args = append(args, "--model", l.Model)
	}
	return find(ctx, "claude", args)
}

// codex are the arguments of Codex: its own tools run in a sandbox that writes nothing and has no network, no configuration but ours is
// read, and nothing is kept of the session. It knows no limits of turns and money.
func codex(model string, server []string) []string {
	var env []string
	for name, value := range handed() {
		env = append(env, name+"="+quoted(value))
	}
	slices.Sort(env)
	args := []string{"exec", "--sandbox", "read-only", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--json"}
	for _, setting := range []string{
		`approval_policy="never"`, `web_search="disabled"`,
		"mcp_servers.dream.command=" + quoted(server[0]), "mcp_servers.dream.args=" + quoted(server[1:]),
		"mcp_servers.dream.env={" + strings.Join(env, ",") + "}", `mcp_servers.dream.default_tools_approval_mode="approve"`,
	} {
		args = append(args, "-c", setting)
	}
	if model != "" {
		args = append(args, "--model", model)
	}
	return append(args, "-")
}

// quoted writes a text or a list of texts as TOML, which takes JSON's.
func quoted(v any) string {
	data, _ := json.Marshal(v) // texts are always written
	return string(data)
}

func find(ctx context.Context, program string, args []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errNoProgram, err)
	}
	return exec.CommandContext(ctx, path, args...), nil
}

// Variables that say that a session is under way: the host that is started is in none (a nested one refuses to start). The
// variables that end a background dream's recursion and keep the host's own memory out of it.
var (
	sessions = append(host.SessionVariables[:],
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE",
		"GEMINI_CLI", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR")
	marks = []string{hook.Mark + "=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1"}
)

// environ is the environment of the host.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(sessions, name)
	})
	return append(env, marks...)
}

// handed are the variables that our server needs, and that a host may not hand on.
func handed() map[string]string {
	env := map[string]string{}
	for _, v := range append(os.Environ(), marks...) {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "DREAM_") || strings.HasPrefix(name, "XDG_") || name == "CLAUDE_CONFIG_DIR" || name == "CLAUDE_CODE_PROJECT_DIR_NAME" ||
			slices.Contains(marks, v) {
			env[name] = value
		}
	}
	return env
}

// programs are the hosts that can be started without a person.
var programs = []struct{ host, program string }{{host.ClaudeCode, "claude"}, {host.Codex, "codex"}, {host.Gemini, "gemini"}}

// Hosts returns the hosts that are installed here and can be started without a person.
func Hosts() []string {
	var installed []string
	for _, p := range programs {
		if _, err := exec.LookPath(p.program); err == nil {
			installed = append(installed, p.host)
		}
	}
	return installed
}
