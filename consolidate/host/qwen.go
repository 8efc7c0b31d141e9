package host

var qwen = Host{
	ID: "qwen", Name: "Qwen Code", Program: "qwen", // its own /dream hides our prompt
	Settings: &Settings{
		Place: Place{Home: ".qwen"}, Files: []string{"settings.json"}, Project: ".qwen/settings.json", List: "mcpServers", Entry: PlainEntry,
	},
}
