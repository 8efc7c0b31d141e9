package install

import (
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
	folder   func(host.Environment) string // where files are
	files    []string                      // in which a person's servers are; the last that exists counts, else the first
	project  string                        // in which a project's servers are; "" for none
	list     string                        // the member or table of these files that lists the servers
	entry    func(call []string) entry     // what is said of us there; nil: they are TOML
	adding   []string                      // the host's own command that adds a server, without what starts it
	removing []string
	hooks    *hooks // nil: it has none that we know
	nowhere  bool   // it starts servers outside of any project
}

// entry is what a host's file says of a server.
type entry struct {
	Type    string `json:"type,omitempty"`
	Command any    `json:"command"`        // a text, or a list with the arguments
	Args    any    `json:"args,omitempty"` // a list, written where it is not nil
	Enabled bool   `json:"enabled,omitempty"`
}

func plain(call []string) entry {
	if len(call) == 1 {
		return entry{Command: call[0]}
	}
	return entry{Command: call[0], Args: call[1:]}
}
func typed(call []string) entry { return entry{Type: "stdio", Command: call[0], Args: call[1:]} }
func local(call []string) entry { return entry{Type: "local", Command: call, Enabled: true} }

// Hosts are the programs that are known, in the order in which they are listed. The commands of Codex and Gemini CLI that add a
// server lose comments and line ends of the person's file, so they are not used.
var Hosts = []Host{
	{
		ID: host.ClaudeCode, Name: "Claude Code", program: "claude", hooks: &claudeHooks,
		folder: below("CLAUDE_CONFIG_DIR", ""), files: []string{".claude.json"}, project: ".mcp.json", list: "mcpServers", entry: typed,
		adding:   []string{"claude", "mcp", "add", "--scope", "user", server, "--"},
		removing: []string{"claude", "mcp", "remove", "--scope", "user", server},
	},
	{
		ID: "claude-desktop", Name: "Claude Desktop", nowhere: true,
		folder: applications, files: []string{"Claude/claude_desktop_config.json"}, list: "mcpServers", entry: plain,
	},
	{
		ID: host.Codex, Name: "Codex", program: "codex", hooks: &codexHooks,
		folder: below("CODEX_HOME", ".codex"), files: []string{"config.toml"}, project: ".codex/config.toml", list: servers,
	},
	{
		ID: host.Gemini, Name: "Gemini CLI", program: "gemini", hooks: &geminiHooks,
		folder: below("GEMINI_CLI_HOME", ""), files: []string{".gemini/settings.json"}, project: ".gemini/settings.json", list: "mcpServers", entry: plain,
	},
	{
		ID: host.Cursor, Name: "Cursor", program: "cursor", hooks: &cursorHooks,
		folder: below("", ".cursor"), files: []string{"mcp.json"}, project: ".cursor/mcp.json", list: "mcpServers", entry: plain,
	},
	{
		ID: "vscode", Name: "VS Code", program: "code",
		folder: applications, files: []string{"Code/User/mcp.json"}, project: ".vscode/mcp.json", list: "servers", entry: typed,
	},
	{
		ID: host.OpenCode, Name: "opencode", program: "opencode",
		folder: below("XDG_CONFIG_HOME", ".config"), files: []string{"opencode/opencode.json", "opencode/opencode.jsonc"}, project: "opencode.json",
		list: "mcp", entry: local, hooks: &openCodeHooks,
	},
}

// below returns what finds a folder: the one that a variable names, else a folder in the home directory, else "".
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

// applications is the folder below which programs with windows keep their settings.
func applications(env host.Environment) string {
	switch env.GOOS {
	case "darwin":
		return below("", "Library/Application Support")(env)
	case "windows":
		return below("AppData", "AppData/Roaming")(env)
	}
	return below("", ".config")(env)
}

// claudeSettings is the file of a person's settings of Claude Code; "" where no home is known.
func claudeSettings(env host.Environment) string {
	if dir := below("CLAUDE_CONFIG_DIR", ".claude")(env); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}

// Find returns the host of an ID.
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

// Guards reports whether the host can deny a tool while a dream is open: how Cursor calls its tools was not seen.
func (h Host) Guards() bool { return h.Shows() && h.ID != host.Cursor }

// IDs are those of all hosts.
func IDs() (all []string) {
	for _, h := range Hosts {
		all = append(all, h.ID)
	}
	return all
}

// Present reports whether the host seems to be on this machine: its command is on the PATH, or a
// folder or file of its own is there.
func (i Installer) Present(h Host) bool {
	if _, err := exec.LookPath(h.program); err == nil {
		return true
	}
	file := h.file(i.Env)
	if dir := filepath.Dir(file); dir != i.Env.Home {
		file = dir
	}
	_, err := os.Stat(file)
	return err == nil
}

// paths are the files in which the host may list its servers for this person; none where no home is known.
func (h Host) paths(env host.Environment) (paths []string) {
	if dir := h.folder(env); dir != "" {
		for _, name := range h.files {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// file is the one of the paths that counts; "" where there is none.
func (h Host) file(env host.Environment) (file string) {
	for _, path := range slices.Backward(h.paths(env.Complete())) {
		file = path
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	return file
}

// parts are what the host can have of ours, yet without their state.
func (h Host) parts(i Installer) []Part {
	file := h.file(i.Env)
	p := Part{Name: Server, File: file, taking: h.removing}
	if h.adding != nil {
		p.HostCommand = slices.Concat(h.adding, i.call())
	}
	if h.entry == nil {
		p.add, p.take = addTOML(i.call()), removeTOML()
	} else {
		p.add, p.take = addJSON(h.list, h.entry(i.call()), i.call()), removeJSON(h.list)
	}
	if file == "" || h.hooks == nil {
		return []Part{p}
	}
	if h.hooks.file != "" {
		file = filepath.Join(filepath.Dir(file), h.hooks.file)
	} else if h.ID == host.ClaudeCode {
		file = claudeSettings(i.Env)
	}
	if h.hooks.plugin {
		return []Part{p, i.pluginPart(file)}
	}
	wanted := h.hooks.wanted(i.Recall, i.Guard)
	return []Part{p, {Name: Hook, File: file, add: h.hooks.add(i.Env.GOOS, i.call(), wanted, i.Guard), take: removeHooks}}
}

// call is the command line that starts us.
func (i Installer) call() []string { return append([]string{i.Self}, i.Args...) }

// args returns the arguments with which the host starts us now.
func (i Installer) args(h Host) []string {
	for _, e := range h.read(h.file(i.Env), "").Entries {
		if e.Server == server {
			return e.Command[1:]
		}
	}
	return nil
}

// asked returns what the hooks of a host show at least, and whether they guard.
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
		case strings.Contains(text, h.hooks.prompt) && strings.Contains(text, h.hooks.tool) && !guard:
			level = recall.All
		case strings.Contains(text, h.hooks.prompt):
			level = recall.Prompt
		}
	}
	return level, guard
}

// Lost reports whether a host starts us where nothing says which memory is meant: outside of any project, and without a flag that
// names one.
func (i Installer) Lost(h Host) bool {
	return h.nowhere && !slices.ContainsFunc(append(i.args(h), i.Args...), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--project" || name == "--memory-dir"
	})
}
