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
	Name string // as its makers write it, and as Clients calls it

	entry    func(call []string) any // what its file says of us; nil: it is TOML
	program  string                  // its command, by which it is found and, where it has one for this, asked
	adding   []string                // its command line that adds a server, without what starts it
	removing []string
	hooks    *hooks // nil: hooks are not installed there
	nowhere  bool   // it starts servers outside of any project
}

// The shapes of an entry.
type (
	plainEntry struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
	}
	typedEntry struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	localEntry struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}
)

func plain(call []string) any { return plainEntry{call[0], call[1:]} }
func typed(call []string) any { return typedEntry{"stdio", call[0], append([]string{}, call[1:]...)} }
func local(call []string) any { return localEntry{"local", call, true} }

// Hosts are the programs that are known, in the order in which they are listed.
var Hosts = []Host{
	{
		ID: "claude-code", Name: "Claude Code", entry: typed, program: "claude", hooks: &claudeHooks,
		adding:   []string{"claude", "mcp", "add", "--scope", "user", server, "--"},
		removing: []string{"claude", "mcp", "remove", "--scope", "user", server},
	},
	{ID: "claude-desktop", Name: "Claude Desktop", entry: plain, nowhere: true},
	// Their own commands lose comments and line ends of the person's file.
	{ID: "codex", Name: "Codex", program: "codex", hooks: &codexHooks},
	{ID: "gemini", Name: "Gemini CLI", entry: plain, program: "gemini", hooks: &geminiHooks},
	{ID: host.Cursor, Name: "Cursor", entry: plain, program: "cursor", hooks: &cursorHooks},
	{ID: "vscode", Name: "VS Code", entry: typed, program: "code"},
	{ID: "opencode", Name: "opencode", entry: local, program: "opencode"},
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
func (h Host) Shows() bool { return h.hooks != nil || h.ID == host.OpenCode }

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
	if h.program != "" {
		if _, err := exec.LookPath(h.program); err == nil {
			return true
		}
	}
	file := h.client(i.Env).Path
	if file == "" {
		return false
	}
	if h.ID == "claude-code" { // its file is in the home directory itself
		_, err := os.Stat(file)
		return err == nil
	}
	_, err := os.Stat(filepath.Dir(file))
	return err == nil
}

// client is the file in which the host lists its servers for this person; its path is "" where no home is known.
func (h Host) client(env host.Environment) (found Client) {
	for _, c := range Clients(env, "") {
		if c.Name != h.Name {
			continue
		}
		if _, err := os.Lstat(c.Path); found.Path == "" || err == nil && strings.HasSuffix(c.Path, ".jsonc") {
			found = c
		}
	}
	return found
}

// parts are what the host can have of ours, yet without their state.
func (h Host) parts(i Installer) []Part {
	c := h.client(i.Env)
	p := Part{Name: Server, File: c.Path, taking: h.removing}
	if h.adding != nil {
		p.HostCommand = slices.Concat(h.adding, i.call())
	}
	if h.entry == nil {
		p.add, p.take = addTOML(i.call()), removeTOML()
	} else {
		p.add, p.take = addJSON(c.list, h.entry(i.call()), i.call()), removeJSON(c.list)
	}
	file := p.File // Gemini CLI's settings hold all
	switch {
	case h.ID == host.OpenCode:
		return []Part{p, i.pluginPart(filepath.Join(filepath.Dir(file), "plugins", "dream-mcp.js"))}
	case h.hooks == nil:
		return []Part{p}
	case h.hooks == &claudeHooks:
		file = settings(i.Env)
	case h.hooks.beside && file != "":
		file = filepath.Join(filepath.Dir(file), "hooks.json")
	}
	wanted := h.hooks.wanted(i.Recall, i.Guard)
	return []Part{p, {Name: Hook, File: file, add: h.hooks.add(i.Env.GOOS, i.call(), wanted, i.Guard), take: removeHooks}}
}

// call is the command line that starts us.
func (i Installer) call() []string { return append([]string{i.Self}, i.Args...) }

// args returns the arguments with which the host starts us now.
func (i Installer) args(h Host) []string {
	for _, e := range h.client(i.Env).Entries {
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
		case h.hooks == nil:
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

// settings is Claude Code's file of the person's settings.
func settings(env host.Environment) string {
	if dir := env.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "settings.json")
	}
	if env.Home == "" {
		return ""
	}
	return filepath.Join(env.Home, ".claude", "settings.json")
}
