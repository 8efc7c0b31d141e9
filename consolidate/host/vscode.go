package host

var vsCode = Host{
	ID: "vscode", Name: "VS Code", Program: "code", Ask: "/mcp.dream.dream",
	Settings: &Settings{
		Place: Place{Applications: true}, Files: []string{"Code/User/mcp.json"}, Project: ".vscode/mcp.json", List: "servers", Entry: TypedEntry,
	},
}
