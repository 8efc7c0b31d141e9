package host

import (
	"strconv"

	"dream-mcp/consolidate/transcript/said"
)

// Claude Code writes a file for each session into a folder for each directory in which it was started. Its records are
// those of package said, and its folders are chosen by package sessions.
var claudeCode = Host{
	ID: string(said.ClaudeCode), Name: "Claude Code", Program: "claude", Get: "npm install -g @anthropic-ai/claude-code", Ask: "/dream:dream",
	Variables: Variables{
		Started: []string{"CLAUDECODE", "CLAUDE_PROJECT_DIR"}, Session: "CLAUDE_CODE_SESSION_ID",
		Nested: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE"},
	},
	Settings: &Settings{
		Place: Place{Variable: "CLAUDE_CONFIG_DIR"}, Files: []string{".claude.json"}, Project: ".mcp.json", List: "mcpServers", Entry: typedEntry,
		Lock: ".lock",
		Allow: &Allow{
			Place: Place{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude"}, File: "settings.json", Keys: []string{"permissions", "allow"},
			Rule: func(server, tool string) string { return "mcp__" + server + "__" + tool },
		},
	},
	Hooks: &Hooks{
		Events: []string{"SessionStart", "Stop", "SessionEnd"}, Prompt: "UserPromptSubmit", Tool: "PreToolUse", Timeout: 5,
		Place: Place{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude"}, File: "settings.json",
	},
	Sessions:   []Sessions{{Format: said.Format{Host: said.ClaudeCode}, Place: Place{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude"}}},
	Background: claudeBackground,
	Reads: []string{
		"Read", "Grep", "Glob", "LS", "NotebookRead", "TodoRead", "TodoWrite", "ToolSearch", "AskUserQuestion", "ExitPlanMode",
		"ListMcpResourcesTool", "ReadMcpResourceTool", "WaitForMcpServers",
	},
	Shells: []string{"Bash"},
}

var _ = add(&claudeCode)

func claudeBackground(r RunOptions) (line []string, dir string, err error) {
	line = []string{
		"claude", "-p", "--tools", "Read,Grep,Glob", "--strict-mcp-config", "--mcp-config", r.Config(),
		"--allowedTools", "mcp__dream__*", "--permission-mode", "dontAsk", "--max-turns", strconv.Itoa(r.MaxTurns),
		"--output-format", "stream-json", "--verbose", "--no-session-persistence", "--disable-slash-commands",
		"--setting-sources", "user", "--settings", `{"disableAllHooks":true}`,
	}
	if r.MaxUSD > 0 {
		line = append(line, "--max-budget-usd", strconv.FormatFloat(r.MaxUSD, 'f', -1, 64))
	}
	return append(line, r.model()...), r.Project, nil
}
