package host

var cursor = Host{
	ID: "cursor", Name: "Cursor", Program: "cursor",
	Variables: Variables{Hook: []string{"CURSOR_VERSION"}},
	Settings: &Settings{
		Place: Place{Home: ".cursor"}, Files: []string{"mcp.json"}, Project: ".cursor/mcp.json", List: "mcpServers", Entry: PlainEntry,
	},
	Hooks: &Hooks{
		Events: []string{"sessionStart"}, Prompt: "beforeSubmitPrompt", Tool: "preToolUse", Timeout: 5, Named: true, File: "hooks.json", Flat: true,
		Silent: true, NoGuard: true, Answer: cursorAnswer,
	},
}

func cursorAnswer(event, model, _ string) any {
	answer := map[string]any{"additional_context": model}
	if event == "beforeSubmitPrompt" {
		answer["continue"] = true
	}
	return answer
}
