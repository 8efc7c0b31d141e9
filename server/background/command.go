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

// command returns the command that runs a host without a person. The prompt is its standard input. The host may use
// the tools of our server, whose command line is server, and read the project, and do nothing else. The folder own is
// for settings that a host reads from files; it is created if needed.
func command(ctx context.Context, setup host.Setup, firing string, server []string, own string) (*exec.Cmd, error) {
	line, dir, err := commandLine(setup, firing, server, own)
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(line[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errNoProgram, err)
	}
	cmd := exec.CommandContext(ctx, path, line[1:]...)
	cmd.Dir, cmd.Env = dir, environ()
	if dir == own {
		cmd.Env = append(cmd.Env, "GEMINI_CLI_TRUST_WORKSPACE=true")
	}
	return cmd, nil
}

// commandLine returns the command line of a host, and the folder that it is started in.
func commandLine(setup host.Setup, firing string, server []string, own string) (line []string, dir string, err error) {
	l := setup.Limits
	config := quoted(map[string]any{"mcpServers": map[string]any{"dream": map[string]any{
		"type": "stdio", "command": server[0], "args": server[1:], "env": handed(),
	}}})
	switch {
	case len(l.Command) > 0:
		fill := strings.NewReplacer("{mcp_config}", config, "{model}", l.Model)
		for _, arg := range l.Command {
			line = append(line, fill.Replace(arg))
		}
		return line, setup.Project, nil
	case firing == host.ClaudeCode:
		line = claude(l, config)
	case firing == host.Codex:
		line = codex(server)
	case firing == host.Gemini:
		line, err = gemini(setup, server, own)
	default:
		err = fmt.Errorf("%w: how %s is started without a person is not known; set background_command in config.json", errNoProgram, firing)
	}
	if l.Model != "" {
		line = append(line, "--model", l.Model)
	}
	switch firing {
	case host.Gemini:
		return line, own, err
	case host.Codex:
		line = append(line, "-") // the prompt is standard input
	}
	return line, setup.Project, err
}

// claude is the command line of Claude Code.
func claude(l host.Limits, config string) []string {
	line := []string{
		"claude", "-p", "--tools", "Read,Grep,Glob", "--strict-mcp-config", "--mcp-config", config,
		"--allowedTools", "mcp__dream__*", "--permission-mode", "dontAsk", "--max-turns", strconv.Itoa(l.MaxTurns),
		"--output-format", "stream-json", "--verbose", "--no-session-persistence", "--disable-slash-commands",
		"--setting-sources", "user", "--settings", `{"disableAllHooks":true}`,
	}
	if l.MaxUSD > 0 {
		line = append(line, "--max-budget-usd", strconv.FormatFloat(l.MaxUSD, 'f', -1, 64))
	}
	return line
}

// codex is the command line of Codex. Its own tools run in a sandbox that cannot write and has no network. It reads no
// configuration but ours and keeps nothing of the session. It has no limits of turns and money.
func codex(server []string) []string {
	var env []string
	for name, value := range handed() {
		env = append(env, name+"="+quoted(value))
	}
	slices.Sort(env)
	line := []string{"codex", "exec", "--sandbox", "read-only", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--json"}
	for _, setting := range []string{
		`approval_policy="never"`, `web_search="disabled"`,
		"mcp_servers.dream.command=" + quoted(server[0]), "mcp_servers.dream.args=" + quoted(server[1:]),
		"mcp_servers.dream.env={" + strings.Join(env, ",") + "}", `mcp_servers.dream.default_tools_approval_mode="approve"`,
	} {
		line = append(line, "-c", setting)
	}
	return line
}

// quoted writes texts as JSON, which TOML takes too.
func quoted(v any) string {
	data, _ := json.Marshal(v) // texts are always written
	return string(data)
}

// sessionVariables are the variables of a session, in which a nested host refuses to start. marks keep a background dream
// from starting another, and switch off the host's own memory.
var (
	sessionVariables = append(host.SessionVariables[:],
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE",
		"GEMINI_CLI", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR")
	marks = []string{hook.Mark + "=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1"}
)

// environ is the environment of the host.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(sessionVariables, name)
	})
	return append(env, marks...)
}

// handed returns the variables that our server needs; a host may not pass them on.
func handed() map[string]string {
	env := map[string]string{}
	for _, v := range append(os.Environ(), marks...) {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "DREAM_") || strings.HasPrefix(name, "XDG_") || name == "CLAUDE_CONFIG_DIR" || name == "CLAUDE_CODE_PROJECT_DIR_NAME" ||
			name == host.SessionVariables[0] || // that which started the dream, which neither the gate nor the dream counts
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
