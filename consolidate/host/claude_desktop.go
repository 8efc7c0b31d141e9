package host

var claudeDesktop = Host{
	ID: "claude-desktop", Name: "Claude Desktop",
	Settings: &Settings{
		Place: Place{Applications: true}, Files: []string{"Claude/claude_desktop_config.json"}, List: "mcpServers", Entry: PlainEntry, Nowhere: true,
	},
}
