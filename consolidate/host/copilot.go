package host

var copilot = Host{
	ID: "copilot", Name: "Copilot CLI", Program: "copilot", Ask: "/dream",
	Settings: &Settings{
		Place: Place{Variable: "COPILOT_HOME", Home: ".copilot"}, Files: []string{"mcp-config.json"}, List: "mcpServers",
		Entry: func(call []string) Entry {
			return Entry{Type: "local", Command: call[0], Args: call[1:], Tools: []string{"*"}}
		},
		Skill: "skills/dream/SKILL.md",
	},
}
