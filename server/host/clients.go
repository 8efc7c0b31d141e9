package host

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// form is how a program's file lists MCP servers.
type form int

const (
	servers   form = iota // JSON: "mcpServers", each with command and args; in Claude Code's state for each project too
	vsCode                // JSON with comments: "servers"
	openCode              // JSON with comments: "mcp", each with a command that is a list
	codexTOML             // TOML: [mcp_servers.NAME]
)

// Client is a file in which a program that can start us lists its MCP servers. The file need not exist.
type Client struct {
	Name    string // as its makers write it
	Path    string
	Project bool // it counts in this project only
	Entries []Entry
	Err     error // why the file can't be read; nil where there is none
	form    form
}

// Entry is a line by which a program starts us.
type Entry struct {
	Server  string // what the program calls us
	Command []string
}

// Clients returns the files in which the programs that are known list their MCP servers, and the
// entries that start us. Nothing is written, and what can't be read is said so (FACTS 8).
func Clients(env Environment, project string) []Client {
	env = env.complete()
	var all []Client
	add := func(f form, name, path string, ofProject bool) {
		all = append(all, Client{Name: name, Path: path, Project: ofProject, form: f})
	}
	if project != "" {
		add(servers, "Claude Code", filepath.Join(project, ".mcp.json"), true)
		add(servers, "Cursor", filepath.Join(project, ".cursor", "mcp.json"), true)
		add(vsCode, "VS Code", filepath.Join(project, ".vscode", "mcp.json"), true)
		add(codexTOML, "Codex", filepath.Join(project, ".codex", "config.toml"), true)
		add(openCode, "opencode", filepath.Join(project, "opencode.json"), true)
		if project != env.Home {
			add(servers, "Gemini CLI", filepath.Join(project, ".gemini", "settings.json"), true)
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
		add(servers, "Claude Code", filepath.Join(state, ".claude.json"), false)
		add(servers, "Claude Desktop", filepath.Join(applications, "Claude", "claude_desktop_config.json"), false)
		add(codexTOML, "Codex", filepath.Join(codex, "config.toml"), false)
		add(servers, "Gemini CLI", filepath.Join(gemini, ".gemini", "settings.json"), false)
		add(servers, "Cursor", filepath.Join(env.Home, ".cursor", "mcp.json"), false)
		add(vsCode, "VS Code", filepath.Join(applications, "Code", "User", "mcp.json"), false)
		add(openCode, "opencode", filepath.Join(open, "opencode", "opencode.json"), false)
		add(openCode, "opencode", filepath.Join(open, "opencode", "opencode.jsonc"), false)
	}
	for i := range all {
		all[i].look(project)
	}
	return all
}

func first(values ...string) string {
	for _, v := range values {
		if filepath.IsAbs(v) {
			return v
		}
	}
	return ""
}

// look reads the file of c.
func (c *Client) look(project string) {
	data, err := read(c.Path, maxState)
	if err != nil {
		if !missing(err) {
			c.Err = err
		}
		return
	}
	if c.form == codexTOML {
		c.Entries = tomlEntries(string(data))
		return
	}
	type list map[string]json.RawMessage
	var file struct {
		MCPServers, Servers, MCP list
		Projects                 map[string]json.RawMessage
	}
	if err := json.Unmarshal(plainJSON(data), &file); err != nil {
		c.Err = err
		return
	}
	found := map[form]list{servers: file.MCPServers, vsCode: file.Servers, openCode: file.MCP}[c.form]
	c.addEntries(found)
	var own struct{ MCPServers list }
	if c.form == servers && json.Unmarshal(file.Projects[project], &own) == nil {
		c.addEntries(own.MCPServers)
	}
}

// addEntries takes those of a list that start us. Of one that is written otherwise nothing is known.
func (c *Client) addEntries(list map[string]json.RawMessage) {
	for name, raw := range list {
		var entry struct {
			Command json.RawMessage
			Args    []string
		}
		var command []string
		if json.Unmarshal(raw, &entry) != nil {
			continue
		}
		var word string
		if json.Unmarshal(entry.Command, &word) == nil {
			command = append([]string{word}, entry.Args...)
		} else if json.Unmarshal(entry.Command, &command) != nil {
			continue
		}
		if startsUs(command) {
			c.Entries = append(c.Entries, Entry{name, command})
		}
	}
	slices.SortFunc(c.Entries, func(a, b Entry) int { return strings.Compare(a.Server, b.Server) })
}

// startsUs reports whether a command line names this program, itself or behind one that runs it.
func startsUs(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool {
		word = strings.ReplaceAll(word, `\`, "/")
		return strings.TrimSuffix(word[strings.LastIndexByte(word, '/')+1:], ".exe") == ours
	})
}

// plainJSON drops the comments, and the commas before a closing bracket, that some programs allow.
func plainJSON(data []byte) []byte {
	if json.Valid(data) {
		return data
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	out := make([]byte, 0, len(data))
	comma := -1 // where in out a comma stands that only blanks follow
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case b == '"':
			from := i
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			out = append(out, data[from:min(i+1, len(data))]...)
			comma = -1
		case b == '/' && bytes.HasPrefix(data[i:], []byte("//")):
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case b == '/' && bytes.HasPrefix(data[i:], []byte("/*")):
			end := bytes.Index(data[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
		case b == ',':
			comma = len(out)
			out = append(out, b)
		case (b == '}' || b == ']') && comma >= 0:
			out[comma], comma = ' ', -1
			out = append(out, b)
		default:
			if !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
				comma = -1
			}
			out = append(out, b)
		}
	}
	return out
}

// tomlEntries reads as much of TOML as these lists need: headers, and command and args in one line.
func tomlEntries(text string) (entries []Entry) {
	server := ""
	var command, args []string
	end := func() {
		if all := append(command, args...); server != "" && startsUs(all) {
			entries = append(entries, Entry{server, all})
		}
		server, command, args = "", nil, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if header, ok := strings.CutPrefix(line, "["); ok {
			end()
			header, _, _ = strings.Cut(header, "]")
			if name, ok := strings.CutPrefix(header, "mcp_servers."); ok {
				server = strings.Trim(name, `"'`)
			}
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(key) {
		case "command":
			command = tomlStrings(value)
		case "args":
			args = tomlStrings(value)
		}
	}
	end()
	return entries
}

// tomlStrings returns the strings of a value.
func tomlStrings(value string) (all []string) {
	for {
		i := strings.IndexAny(value, `"'#`)
		if i < 0 || value[i] == '#' {
			return all
		}
		quote := value[i]
		rest := value[i+1:]
		j := 0
		for j < len(rest) && rest[j] != quote {
			if quote == '"' && rest[j] == '\\' {
				j++
			}
			j++
		}
		if j >= len(rest) {
			return all
		}
		word := rest[:j]
		if quote == '"' {
			word = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(word)
		}
		all, value = append(all, word), rest[j+1:]
	}
}
