package install

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/recall"
	"dream-mcp/server/host"
)

// Host is a program that can start us.
type Host struct {
	ID   string // as it is typed
	Name string // as its makers write it

	program  string                        // its command, by which it is found
	folder   func(host.Environment) string // of the files
	files    []string                      // with a person's servers: the last that exists is used, else the first
	project  string                        // with a project's servers; "" for none
	list     string                        // the member or table of these files that lists the servers
	entry    func(call []string) entry     // the entry of a command line; nil: the files are TOML
	adding   []string                      // the host's own command that adds a server, to be followed by the command line
	removing []string                      // the host's own command that removes it
	hooks    *hooks                        // nil: none that we know
	skill    string                        // a skill that asks for a dream, below folder: the host asks no server for prompts
	ask      string                        // what a person types to ask for a dream; "" is any words
	nowhere  bool                          // it starts servers outside of any project
}

// entry is a server in a host's JSON file.
type entry struct {
	Type    string `json:"type,omitempty"`
	Command any    `json:"command"`        // a string, or a list with the arguments
	Args    any    `json:"args,omitempty"` // nil or a list, which may be empty
	Tools   any    `json:"tools,omitempty"`
	Enabled bool   `json:"enabled,omitempty"`
}

func plain(call []string) entry {
	if len(call) == 1 {
		return entry{Command: call[0]}
	}
	return entry{Command: call[0], Args: call[1:]}
}
func typed(call []string) entry { return entry{Type: "stdio", Command: call[0], Args: call[1:]} }
func copilot(call []string) entry {
	return entry{Type: "local", Command: call[0], Args: call[1:], Tools: []string{"*"}}
}
func local(call []string) entry { return entry{Type: "local", Command: call, Enabled: true} }

// Hosts lists the known programs in the order of the help. Codex and Gemini CLI have commands that add a server, but these lose
// the comments and line ends of the file, so they are not used.
var Hosts = []Host{
	{
		ID: host.ClaudeCode, Name: "Claude Code", program: "claude", hooks: &claudeHooks, ask: "/dream:dream",
		folder: below("CLAUDE_CONFIG_DIR", ""), files: []string{".claude.json"}, project: ".mcp.json", list: "mcpServers", entry: typed,
		adding:   []string{"claude", "mcp", "add", "--scope", "user", server, "--"},
		removing: []string{"claude", "mcp", "remove", "--scope", "user", server},
	},
	{
		ID: "claude-desktop", Name: "Claude Desktop", nowhere: true,
		folder: applications, files: []string{"Claude/claude_desktop_config.json"}, list: "mcpServers", entry: plain,
	},
	{
		ID: host.Codex, Name: "Codex", program: "codex", hooks: &codexHooks, skill: "skills/dream/SKILL.md", ask: "$dream",
		folder: below("CODEX_HOME", ".codex"), files: []string{"config.toml"}, project: ".codex/config.toml", list: servers,
	},
	{
		ID: host.Gemini, Name: "Gemini CLI", program: "gemini", hooks: &geminiHooks, ask: "/dream",
		folder: below("GEMINI_CLI_HOME", ""), files: []string{".gemini/settings.json"}, project: ".gemini/settings.json", list: "mcpServers", entry: plain,
	},
	{
		ID: host.Cursor, Name: "Cursor", program: "cursor", hooks: &cursorHooks,
		folder: below("", ".cursor"), files: []string{"mcp.json"}, project: ".cursor/mcp.json", list: "mcpServers", entry: plain,
	},
	{
		ID: "vscode", Name: "VS Code", program: "code", ask: "/mcp.dream.dream",
		folder: applications, files: []string{"Code/User/mcp.json"}, project: ".vscode/mcp.json", list: "servers", entry: typed,
	},
	{
		ID: host.OpenCode, Name: "opencode", program: "opencode",
		folder: below("XDG_CONFIG_HOME", ".config"), files: []string{"opencode/opencode.json", "opencode/opencode.jsonc"}, project: "opencode.json",
		list: "mcp", entry: local, hooks: &openCodeHooks, ask: "/dream:dream",
	},
	{
		ID: "copilot", Name: "Copilot CLI", program: "copilot", skill: "skills/dream/SKILL.md", ask: "/dream",
		folder: below("COPILOT_HOME", ".copilot"), files: []string{"mcp-config.json"}, list: "mcpServers", entry: copilot,
	},
	{
		ID: "qwen", Name: "Qwen Code", program: "qwen", // its own /dream hides our prompt
		folder: below("", ".qwen"), files: []string{"settings.json"}, project: ".qwen/settings.json", list: "mcpServers", entry: plain,
	},
	{
		ID: "cline", Name: "Cline CLI", program: "cline",
		folder: below("", ".cline"), files: []string{"data/settings/cline_mcp_settings.json"}, list: "mcpServers", entry: plain,
	},
}

// below returns a function that finds a folder: the one that a variable names, else one in the home directory, else "".
func below(variable, name string) func(host.Environment) string {
	return func(env host.Environment) string {
		if dir := env.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		if env.Home == "" {
			return ""
		}
		return filepath.Join(env.Home, name)
	}
}

// applications returns the folder in which desktop applications keep their settings.
func applications(env host.Environment) string {
	switch env.GOOS {
	case "darwin":
		return below("", "Library/Application Support")(env)
	case "windows":
		return below("AppData", "AppData/Roaming")(env)
	}
	return below("", ".config")(env)
}

// claudeSettings returns the file of a person's settings in Claude Code; "" if no home is known.
func claudeSettings(env host.Environment) string {
	if dir := below("CLAUDE_CONFIG_DIR", ".claude")(env); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}

// Find returns the host with an ID.
func Find(id string) (Host, bool) {
	for _, h := range Hosts {
		if h.ID == id {
			return h, true
		}
	}
	return Host{}, false
}

// Shows reports whether the host can show its model memories unasked.
func (h Host) Shows() bool { return h.hooks != nil }

// Guards reports whether the host can deny a tool while a dream is open. How Cursor calls its tools is not known.
func (h Host) Guards() bool { return h.Shows() && h.ID != host.Cursor }

// Ask returns what a person types to ask for a dream.
func (h Host) Ask() string { return cmp.Or(h.ask, "“dream over the memory of this project”") }

// IDs returns the IDs of all hosts.
func IDs() (all []string) {
	for _, h := range Hosts {
		all = append(all, h.ID)
	}
	return all
}

// Present reports whether the host seems to be on this machine: its command is on the PATH, or its folder exists.
func (i Installer) Present(h Host) bool {
	if _, err := exec.LookPath(h.program); err == nil {
		return true
	}
	env := i.Env.Complete()
	file := h.file(env)
	if dir := filepath.Dir(file); file != "" && dir != env.Home {
		file = dir
	}
	_, err := os.Stat(file)
	return err == nil
}

// paths returns the files that may list a person's servers; none if no home is known.
func (h Host) paths(env host.Environment) (paths []string) {
	if dir := h.folder(env); dir != "" {
		for _, name := range h.files {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// file returns the one of the paths that is used; "" for none.
func (h Host) file(env host.Environment) (file string) {
	for _, path := range slices.Backward(h.paths(env)) {
		file = path
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	return file
}

// parts returns the parts of a host without their state.
func (h Host) parts(i Installer) []Part {
	file := h.file(i.Env.Complete())
	p := Part{Name: Server, File: file, removeCommand: h.removing}
	if h.adding != nil {
		p.HostCommand = slices.Concat(h.adding, i.call())
	}
	if h.entry == nil {
		p.add, p.remove = addTOML(i.call()), removeTOML()
	} else {
		p.add, p.remove = addJSON(h.list, h.entry(i.call()), i.call()), removeJSON(h.list)
	}
	parts := []Part{p}
	if file != "" && h.skill != "" {
		parts = append(parts, i.skillPart(filepath.Join(h.folder(i.Env.Complete()), filepath.FromSlash(h.skill))))
	}
	if file == "" || h.hooks == nil {
		return parts
	}
	if h.hooks.file != "" {
		file = filepath.Join(filepath.Dir(file), h.hooks.file)
	} else if h.ID == host.ClaudeCode {
		file = claudeSettings(i.Env)
	}
	if h.hooks.plugin {
		return append(parts, i.pluginPart(file))
	}
	wanted := h.hooks.wanted(i.Recall, i.Guard)
	return append(parts, Part{Name: Hook, File: file, add: h.hooks.add(i.Env.GOOS, i.call(), wanted, i.Guard), remove: removeHooks})
}

// call returns the command line that starts us.
func (i Installer) call() []string { return append([]string{i.Self}, i.Args...) }

// args returns the arguments in the host's present entry.
func (i Installer) args(h Host) []string {
	for _, e := range h.read(h.file(i.Env.Complete()), "").Entries {
		if e.Server == server {
			return e.Command[1:]
		}
	}
	return nil
}

// asked returns the level that the host's present hooks serve, and whether they guard.
func (i Installer) asked(h Host) (level string, guard bool) {
	for _, p := range h.parts(i) {
		if p.Name != Hook {
			continue
		}
		data, _ := host.ReadFile(p.File, maxFile)
		text := string(data)
		guard = strings.Contains(text, guardFlag)
		switch {
		case h.hooks.plugin:
		case strings.Contains(text, h.hooks.prompt):
			level = recall.Prompt
		}
	}
	return level, guard
}

// Lost reports whether the host starts us without a project: outside of any, and without a flag that names one or a memory.
func (i Installer) Lost(h Host) bool {
	return h.nowhere && !slices.ContainsFunc(append(i.args(h), i.Args...), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--project" || name == "--memory-dir"
	})
}
