package host

import "dream-mcp/consolidate/transcript/said"

// Copilot CLI has a folder for each session, and in it a file that grows. What a person typed is a field of its record;
// beside it is what the model was sent. Sub-agents are in the same file, marked. VS Code's background agents write the
// same.
var copilot = Host{
	ID: "copilot", Name: "Copilot CLI", Program: "copilot", Tried: "1.0.102", Ask: "/dream",
	Settings: &Settings{
		Place: copilotPlace, Files: []string{"mcp-config.json"}, List: "mcpServers",
		Entry: func(call []string) Entry {
			return Entry{Type: "local", Command: call[0], Args: call[1:], Tools: []string{"*"}}
		},
		Skill: "skills/dream/SKILL.md",
	},
	// It takes Claude Code's form, and reads each file of the folder. Its names of tools are not known.
	Hooks: &Hooks{
		Events: []string{"SessionStart", "Stop", "SessionEnd"}, Prompt: "UserPromptSubmit", Timeout: 5, Named: true, File: "hooks/dream-mcp.json",
		Silent: true, NoGuard: true,
		Answer: func(_, model, _ string) any { return map[string]string{"additionalContext": model} },
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "copilot",
			Folders: []said.Folder{{Path: "session-state", Why: "Copilot CLI's, of all projects: those that ran here", Files: []string{"*/events.jsonl"}}},
			ID:      folderID, Line: copilotLine, Version: []string{"data", "copilotVersion"},
		},
		Place: copilotPlace,
	}},
}

var _ = add(&copilot)

var copilotPlace = Place{Variable: "COPILOT_HOME", Home: ".copilot"}

func copilotLine(line said.Raw, r *said.Record, h *said.HostState) {
	data := line.Field("data")
	r.UUID, r.Timestamp = line.Field("id"), line.Field("timestamp")
	kind := line.Field("type")
	if !line.Field("agentId").Empty() {
		return
	}
	switch {
	case kind.Is("session.start"), kind.Is("session.resume"), kind.Is("session.context_changed"):
		r.Type = said.MetaType
		for _, v := range []said.Raw{data.Field("context"), data} {
			h.SetCWD(v.Field("cwd"))
			if branch := v.Field("branch").Text(); branch != "" {
				h.Branch = branch
			}
		}
	case kind.Is("user.message"):
		if data.Field("source").Empty() && !data.Field("isAutopilotContinuation").IsTrue() {
			r.TypedBlocks(data.Field("content").Texts(), nil, asTyped)
		}
	case kind.Is("assistant.message"):
		r.Type = said.AssistantType
		r.Message.Blocks = append(r.Message.Blocks, data.Field("content").Texts()...)
		data.Field("toolRequests").Items(func(call said.Raw) {
			if name := call.Field("name"); !name.Empty() {
				r.Used(call.Field("toolCallId"), name, call.Field("arguments"))
			}
		})
	case kind.Is("tool.user_requested"): // !command
		r.Used(data.Field("toolCallId"), data.Field("toolName"), data.Field("arguments"))
	case kind.Is("tool.execution_complete"):
		if output := data.Field("result").Field("content").Text(); output != "" {
			r.Answered(data.Field("toolCallId"), output)
		}
	}
	r.CWD, r.Branch = said.Quoted(h.CWD), said.Quoted(h.Branch)
}
