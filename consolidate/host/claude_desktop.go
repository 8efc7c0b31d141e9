package host

import (
	"path/filepath"

	"dream-mcp/consolidate/transcript/said"
)

// Claude Desktop runs Claude Code for its chats about a person's folders (Cowork), and keeps the records of each in a
// folder of its own. The folders that the person chose are in a file beside that. What is typed in its Code tab is
// among Claude Code's sessions.
var claudeDesktop = Host{
	ID: "claude-desktop", Name: "Claude Desktop",
	Settings: &Settings{
		Place: Place{Applications: true}, Files: []string{"Claude/claude_desktop_config.json"}, List: "mcpServers", Entry: PlainEntry, Nowhere: true,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "claude-desktop",
			Folders: []said.Folder{{
				Path: "Claude/local-agent-mode-sessions/*/*", Why: "Claude Desktop's, of all folders: those about this project",
				Files: []string{"local_*/.claude/projects/*/*.jsonl", "agent/local_*/.claude/projects/*/*.jsonl"},
			}},
			ID: fileID, Beside: coworkBeside, Version: []string{"version"},
		},
		Place: Place{Applications: true},
	}},
}

var _ = add(&claudeDesktop)

// coworkBeside returns the first folder that the person chose.
func coworkBeside(file string) string {
	chat := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
	facts := jsonIn(chat+".json", maxProjects)
	var first string
	facts.Field("userSelectedFolders").Items(func(v said.Raw) {
		if first == "" {
			first = v.Text()
		}
	})
	return first
}
