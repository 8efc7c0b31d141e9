package background

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/memory/atomicfile"
	"dream-mcp/server/host"
)

// geminiReads are the tools of Gemini CLI that only read, and only in the project.
var geminiReads = []string{"list_directory", "read_file", "grep_search", "glob"}

// geminiPolicy denies all tools but ours and those that only read. It comes before the rules of the person and of the
// project. A version that does not understand it ignores it; the settings limit the tools there.
const geminiPolicy = `[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = %s
decision = "allow"
priority = 2

[[rule]]
mcpName = "dream"
toolName = "*"
decision = "allow"
priority = 2
`

// gemini is the command line of Gemini CLI. It is started in a folder of ours, whose settings come before the
// person's. The project is a folder that it may read, and its settings are not read. The session is kept for our
// folder, for a day, and no gate counts it. It has no limit of money.
func gemini(setup host.Setup, server []string, own string) ([]string, error) {
	settings := quoted(map[string]any{
		"mcpServers":  map[string]any{"dream": map[string]any{"command": server[0], "args": server[1:], "env": handed()}},
		"mcp":         map[string]any{"allowed": []string{"dream"}},
		"tools":       map[string]any{"core": geminiReads},
		"hooksConfig": map[string]any{"enabled": false},
		"model":       map[string]any{"maxSessionTurns": setup.Limits.MaxTurns},
		"context":     map[string]any{"includeDirectories": []string{setup.Project}, "loadMemoryFromIncludeDirectories": false},
		"general":     map[string]any{"sessionRetention": map[string]any{"enabled": true, "maxAge": "1d", "minRetention": "1h"}},
	})
	if strings.Contains(settings, "$") {
		return nil, fmt.Errorf("%w: Gemini CLI would take what follows a $ in a path for a variable", errNoProgram)
	}
	if err := os.MkdirAll(filepath.Join(own, ".gemini"), 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(own)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	policy := fmt.Sprintf(geminiPolicy, quoted(geminiReads))
	for name, text := range map[string]string{".gemini/settings.json": settings, "policy.toml": policy} {
		if err := atomicfile.Replace(root, name, []byte(text), time.Time{}); err != nil {
			return nil, err
		}
	}
	return []string{
		"gemini", "--output-format", "stream-json", "--approval-mode", "default", "--extensions", "none",
		"--allowed-mcp-server-names", "dream", "--admin-policy", filepath.Join(own, "policy.toml"),
	}, nil
}
