package background

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
)

// command returns the command that runs a host without a person. The prompt is its standard input. The host may use
// the tools of our server, whose command line is server, and read the project, and do nothing else. The folder own is
// for settings that a host reads from files; it is created if needed.
func command(ctx context.Context, setup settings.Setup, firing string, server []string, own string) (*exec.Cmd, error) {
	line, dir, err := commandLine(setup, firing, server, own)
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(line[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %v", host.ErrNoProgram, err)
	}
	cmd := exec.CommandContext(ctx, path, line[1:]...)
	cmd.Dir, cmd.Env = dir, environ()
	if h := host.Find(firing); dir == own && h != nil {
		cmd.Env = append(cmd.Env, h.Variables.Trusting...)
	}
	return cmd, nil
}

// commandLine returns the command line of a host, and the folder that it is started in.
func commandLine(setup settings.Setup, firing string, server []string, own string) (line []string, dir string, err error) {
	l := setup.Limits
	run := host.RunOptions{
		Server: server, Env: handed(), Project: setup.Project, Own: own, MaxTurns: l.MaxTurns, MaxUSD: l.MaxUSD, Model: l.Model,
	}
	if len(l.Command) > 0 {
		fill := strings.NewReplacer("{mcp_config}", run.Config(), "{model}", l.Model)
		for _, arg := range l.Command {
			line = append(line, fill.Replace(arg))
		}
		return line, setup.Project, nil
	}
	if h := host.Find(firing); h != nil && h.Dreams() {
		return h.Background(run)
	}
	return nil, "", fmt.Errorf("%w: how %s is started without a person is not known; set background_command in config.json", host.ErrNoProgram, firing)
}

// marks keep a background dream from starting another, and switch off the host's own memory.
var marks = []string{hook.Mark + "=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1"}

// environ is the environment of the host, without the variables of a session, in which a nested host refuses to start.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(host.List, func(h *host.Host) bool {
			return h.Variables.Session == name || slices.Contains(h.Variables.Nested, name)
		})
	})
	return append(env, marks...)
}

// handed returns the variables that our server needs; a host may not pass them on.
func handed() map[string]string {
	session := host.Find(settings.ClaudeCode).Variables.Session // that which started the dream, which neither the gate nor the dream counts
	env := map[string]string{}
	for _, v := range append(os.Environ(), marks...) {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "DREAM_") || strings.HasPrefix(name, "XDG_") || name == "CLAUDE_CONFIG_DIR" || name == "CLAUDE_CODE_PROJECT_DIR_NAME" ||
			name == session || slices.Contains(marks, v) {
			env[name] = value
		}
	}
	return env
}

// Hosts returns the hosts that are installed here and can be started without a person.
func Hosts() []string { return host.IDs(func(h *host.Host) bool { return h.Dreams() && h.OnPath() }) }
