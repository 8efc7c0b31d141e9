package host

import "dream-mcp/consolidate/transcript/said"

// Kilo is made from opencode, and keeps opencode's tables. Beside the text of a command it keeps the command as it was
// typed.
var kilo = Host{
	ID: "kilo", Name: "Kilo", Program: "kilo", Tried: "7.7.9",
	Settings: &Settings{
		Place: Place{Variable: "XDG_CONFIG_HOME", Home: ".config"}, Files: []string{"kilo/kilo.json", "kilo/kilo.jsonc"}, Project: "kilo.json", List: "mcp",
		Entry: localEntry,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "kilo",
			Folders: []said.Folder{
				{Path: "kilo.db", Why: "Kilo's database, of all projects: those that ran here"},
				{Path: "kilo-*.db", Why: "Kilo's database, of all projects: those that ran here"},
			},
			Collect: openCodeTables.collect,
		},
		Place: Place{Variable: "XDG_DATA_HOME", Below: "kilo", Home: ".local/share/kilo"},
	}, tasks("kilo", "kilocode.kilo-code")},
}

var _ = add(&kilo)
