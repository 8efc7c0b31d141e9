package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/server/settings"
)

// TestClients has a file of a host in each row, and the entries in it that start us.
func TestClients(t *testing.T) {
	for _, row := range []struct{ name, file, content, want string }{
		{"Claude Code", ".claude.json", `{"mcpServers":{"a":{"command":"npx"},"d":{"command":"/opt/dream-mcp","args":["serve"]}}}`, "d: /opt/dream-mcp serve"},
		{"Claude Code, of the project", ".claude.json",
			`{"projects":{"$P":{"mcpServers":{"d":{"command":"dream-mcp"}}},"/x":{"mcpServers":{"e":{"command":"dream-mcp"}}}}}`, "d: dream-mcp"},
		{"Claude Code, shared", "p/.mcp.json", `{"mcpServers":{"d":{"command":"C:\\bin\\dream-mcp.exe"}}}`, `d: C:\bin\dream-mcp.exe`},
		{"Claude Desktop", ".config/Claude/claude_desktop_config.json", `{"mcpServers":{"d":{"command":"dream-mcp"}}}`, "d: dream-mcp"},
		{"Codex", ".codex/config.toml", "model = \"x\"\n[mcp_servers.d] # ours\ncommand = 'dream-mcp'\nargs = [\"serve\", \"--mode\", \"off\"]\n[mcp_servers.other]\ncommand = \"npx\"\n", "d: dream-mcp serve --mode off"},
		{"Codex, started by another program", ".codex/config.toml",
			"[mcp_servers.\"d\"]\ncommand = \"env\"\nargs = [\"X=1\", \"/a\\\\b/dream-mcp\"] # \"x\"\n", `d: env X=1 /a\b/dream-mcp`},
		{"Codex, cut off", ".codex/config.toml", "[mcp_servers.d]\ncommand = \"dream-mcp", "error"},
		{"Gemini CLI", ".gemini/settings.json", `{"mcpServers":{"d":{"command":"dream-mcp"},"url":{"httpUrl":"http://x"}}}`, "d: dream-mcp"},
		{"Cursor", ".cursor/mcp.json", `{"mcpServers":{"d":{"command":"dream-mcp"}}}`, "d: dream-mcp"},
		{"VS Code, with comments", "p/.vscode/mcp.json", "{ // a \"comment\"\n\"servers\": {/* , */\"d\": {\"command\": \"dream-mcp\", \"args\": [\"//x,]\",],},},\n}", "d: dream-mcp //x,]"},
		{"opencode", ".config/opencode/opencode.json", `{"mcp":{"d":{"type":"local","command":["dream-mcp","serve"]},"r":{"type":"remote","url":"x"}}}`,
			"d: dream-mcp serve"},
		{"a name that only holds ours", ".cursor/mcp.json", `{"mcpServers":{"d":{"command":"my-dream-mcp"},"e":{"command":"dream-mcp-old"}}}`, ""},
		{"another form", ".cursor/mcp.json", `{"mcpServers":{"d":{"command":7},"e":[],"f":{"command":"dream-mcp","args":"x"}}}`, "f: dream-mcp"},
		{"no object", ".cursor/mcp.json", `[1]`, "error"},
		{"an open comment", ".cursor/mcp.json", `{"mcpServers":/*`, "error"},
		{"an open string", ".cursor/mcp.json", `{"mcpServers":"\`, "error"},
		{"a folder", ".cursor/mcp.json/x", ``, "error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			home := t.TempDir()
			project := filepath.Join(home, "p")
			path := filepath.Join(home, filepath.FromSlash(row.file))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			content := strings.ReplaceAll(row.content, "$P", filepath.ToSlash(project))
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range Clients(settings.Environment{Home: home, GOOS: "linux"}, project) {
				for _, e := range c.Entries {
					got = append(got, e.Server+": "+strings.Join(e.Command, " "))
				}
				if c.Err != nil {
					got = append(got, "error")
				}
			}
			if want := slices.DeleteFunc([]string{row.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
