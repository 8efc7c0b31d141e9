package install

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dream-mcp/consolidate/host"
	"dream-mcp/server/settings"
)

// Client is a file in which a host lists its MCP servers. The file need not exist.
type Client struct {
	Name    string // of the host
	Path    string
	Entries []Entry // those that start us, by name
	Err     error   // why the file cannot be read; nil if it does not exist
}

// Entry is an entry that starts us.
type Entry struct {
	Server  string // our name there
	Command []string
}

// Clients returns the files in which the hosts list their MCP servers: the person's, and those in the project unless
// that is "".
func Clients(env settings.Environment, project string) (all []Client) {
	env = env.WithDefaults()
	for _, h := range Hosts() {
		paths := paths(h, env)
		if own := filepath.Join(project, h.Settings.Project); project != "" && h.Settings.Project != "" && !slices.Contains(paths, own) {
			paths = append([]string{own}, paths...)
		}
		for _, path := range paths {
			all = append(all, read(h, path, project))
		}
	}
	return all
}

// read reads a file in which h lists its servers.
func read(h *host.Host, path, project string) Client {
	c := Client{Name: h.Name, Path: path}
	text, err := settings.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return c
	}
	var file map[string]any
	if err == nil {
		file, err = decoder(path)(text)
	}
	c.Err = err
	projects, _ := file["projects"].(map[string]any) // of Claude Code
	var own map[string]any
	for _, key := range settings.ProjectKeys(project) {
		if of, ok := projects[key].(map[string]any); ok && own == nil {
			own = of
		}
	}
	for _, part := range []map[string]any{file, own} {
		list, _ := part[h.Settings.List].(map[string]any)
		for name, entry := range list {
			if command := commandLine(entry); slices.ContainsFunc(command, starts) { // perhaps as an argument of a launcher
				c.Entries = append(c.Entries, Entry{name, command})
			}
		}
	}
	slices.SortFunc(c.Entries, func(a, b Entry) int { return strings.Compare(a.Server, b.Server) })
	return c
}

// commandLine returns the program and the arguments of a decoded entry; nil if it has none.
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

// Plugins returns the plugins of Claude Code that start us, as NAME@MARKETPLACE: those that the settings of the person,
// or of the project unless that is "", enable. Settings that cannot be read enable none.
func Plugins(env settings.Environment, project string) (all []string) {
	claude := host.Find(settings.ClaudeCode).Hooks
	files := []string{in(env.WithDefaults(), claude.Place, claude.File)} // a later one overrides
	if project != "" {
		files = append(files, filepath.Join(project, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json"))
	}
	enabled := map[string]any{}
	for _, file := range files {
		text, _ := settings.ReadFile(file, maxFile)
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
