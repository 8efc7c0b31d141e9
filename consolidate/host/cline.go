package host

var cline = Host{
	ID: "cline", Name: "Cline CLI", Program: "cline",
	Settings: &Settings{
		Place: Place{Home: ".cline"}, Files: []string{"data/settings/cline_mcp_settings.json"}, List: "mcpServers", Entry: PlainEntry,
	},
}
