package install

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dream-mcp/server/host"
)

// Client is a file in which a program that can start us lists its MCP servers. The file need not exist.
type Client struct {
	Name    string // as its makers write it
	Path    string
	Entries []Entry
	Err     error  // why the file cannot be read; nil where it does not exist
	list    string // its member that holds the servers
}

// Entry is a line by which a program starts us.
type Entry struct {
	Server  string // what the program calls us
	Command []string
}

// Clients returns the files in which the programs that are known list their MCP servers, and the
// entries that start us: those of the person, and those of a project unless that is "".
func Clients(env host.Environment, project string) []Client {
	env = env.Complete()
	var all []Client
	add := func(list, name string, path ...string) {
		all = append(all, Client{Name: name, Path: filepath.Join(path...), list: list})
	}
	if project != "" {
		add("mcpServers", "Claude Code", project, ".mcp.json")
		add("mcpServers", "Cursor", project, ".cursor", "mcp.json")
		add("servers", "VS Code", project, ".vscode", "mcp.json")
		add(servers, "Codex", project, ".codex", "config.toml")
		add("mcp", "opencode", project, "opencode.json")
		if project != env.Home {
			add("mcpServers", "Gemini CLI", project, ".gemini", "settings.json")
		}
	}
	if env.Home != "" {
		applications := filepath.Join(env.Home, ".config")
		switch env.GOOS {
		case "darwin":
			applications = filepath.Join(env.Home, "Library", "Application Support")
		case "windows":
			applications = first(env.Getenv("AppData"), filepath.Join(env.Home, "AppData", "Roaming"))
		}
		state := first(env.Getenv("CLAUDE_CONFIG_DIR"), env.Home)
		codex := first(env.Getenv("CODEX_HOME"), filepath.Join(env.Home, ".codex"))
		gemini := first(env.Getenv("GEMINI_CLI_HOME"), env.Home)
		open := first(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(env.Home, ".config"))
		add("mcpServers", "Claude Code", state, ".claude.json")
		add("mcpServers", "Claude Desktop", applications, "Claude", "claude_desktop_config.json")
		add(servers, "Codex", codex, "config.toml")
		add("mcpServers", "Gemini CLI", gemini, ".gemini", "settings.json")
		add("mcpServers", "Cursor", env.Home, ".cursor", "mcp.json")
		add("servers", "VS Code", applications, "Code", "User", "mcp.json")
		add("mcp", "opencode", open, "opencode", "opencode.json")
		add("mcp", "opencode", open, "opencode", "opencode.jsonc")
	}
	for i := range all {
		all[i].look(project)
	}
	return all
}

// first is the first absolute path, or "".
func first(paths ...string) string {
	return paths[max(0, slices.IndexFunc(paths, filepath.IsAbs))]
}

// look reads the file of c.
func (c *Client) look(project string) {
	text, err := host.ReadFile(c.Path, maxFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return
	}
	var file map[string]any
	if err == nil {
		file, err = decoder(c.Path)(text)
	}
	c.Err = err
	projects, _ := file["projects"].(map[string]any) // of Claude Code
	own, _ := projects[project].(map[string]any)
	for _, part := range []map[string]any{file, own} {
		list, _ := part[c.list].(map[string]any)
		for name, entry := range list {
			if command := commandLine(entry); slices.ContainsFunc(command, starts) { // perhaps by way of a program that runs us
				c.Entries = append(c.Entries, Entry{name, command})
			}
		}
	}
	slices.SortFunc(c.Entries, func(a, b Entry) int { return strings.Compare(a.Server, b.Server) })
}

// commandLine is the program and the arguments that an entry names, nil where it names none.
func commandLine(entry any) (command []string) {
	members, _ := entry.(map[string]any)
	words, _ := members["command"].([]any)
	if words == nil {
		words = []any{members["command"]}
	}
	args, _ := members["args"].([]any)
	for _, word := range append(words, args...) {
		text, ok := word.(string)
		if !ok {
			return nil
		}
		command = append(command, text)
	}
	return command
}

// Plugins returns the plugins by which Claude Code starts us, as NAME@MARKETPLACE: those that the person's settings enable, and
// those that the project's do, unless project is "". Settings that cannot be read enable none.
func Plugins(env host.Environment, project string) (all []string) {
	env = env.Complete()
	files := []string{settings(env)} // the strongest last
	if project != "" {
		files = append(files, filepath.Join(project, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json"))
	}
	enabled := map[string]any{}
	for _, file := range files {
		text, _ := host.ReadFile(file, maxFile)
		keys, _ := decodeJSON(text)
		plugins, _ := keys["enabledPlugins"].(map[string]any)
		maps.Copy(enabled, plugins)
	}
	for _, name := range slices.Sorted(maps.Keys(enabled)) {
		if strings.HasPrefix(name, "dream-mcp@") && enabled[name] == true {
			all = append(all, name)
		}
	}
	return all
}
