package host

import "dream-mcp/consolidate/transcript/said"

// Qwen Code writes a file for each session into a folder for each directory: Claude Code's envelope around Gemini CLI's
// parts. What a person typed is marked, and so is the body of a command; before that is the command as it was typed,
// which is read in its place.
var qwen = Host{
	ID: "qwen", Name: "Qwen Code", Program: "qwen", Tried: "0.24.4", // its own /dream hides our prompt
	Settings: &Settings{
		Place: Place{Home: ".qwen"}, Files: []string{"settings.json"}, Project: ".qwen/settings.json", List: "mcpServers", Entry: PlainEntry,
	},
	Hooks: &Hooks{
		Events: []string{"SessionStart", "Stop", "SessionEnd"}, Prompt: "UserPromptSubmit", Timeout: 5000, Named: true, NoGuard: true, // 1000 or more are ms, in any version
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "qwen",
			Folders: []said.Folder{
				{Path: "projects/*/chats", Why: "Qwen Code's, by the name of the directory: those that ran here", Files: []string{"*.jsonl", "archive/*.jsonl"}},
			},
			Ours: oursByName(1, dashed), ID: fileID, Line: qwenLine, Version: []string{"version"},
		},
		Place: qwenPlace,
	}, memories("qwen", qwenPlace, []string{"projects/*/memory/*.md", "projects/*/memory/*/*.md"}, inFolder("memory", named(dashed)), passages),
		memories("qwen", qwenPlace, []string{"memories/*.md"}, nil, personal),
	},
}

var _ = add(&qwen)

var qwenPlace = Place{Variable: "QWEN_HOME", Home: ".qwen"}

func qwenLine(line said.Raw, r *said.Record, h *said.HostState) {
	r.UUID, r.Timestamp, r.CWD, r.Branch = line.Field("uuid"), line.Field("timestamp"), line.Field("cwd"), line.Field("gitBranch")
	r.Sidechain = line.Field("isSidechain")
	parts, payload := line.Field("message").Field("parts"), line.Field("systemPayload")
	switch kind := line.Field("type"); {
	case kind.Is("system"):
		r.Type = said.MetaType
		if line.Field("subtype").Is("slash_command") && payload.Field("phase").Is("invocation") && payload.Field("sentToModel").IsTrue() {
			h.Drop = true
			r.TypedBlocks(payload.Field("rawCommand").Texts(), nil, asTyped)
		}
	case kind.Is("user"):
		if r.Type = said.MetaType; !line.Field("provenance").Is("real_user") {
			return
		}
		if h.Drop {
			h.Drop = false
			return
		}
		text := payload.Field("displayText")
		if text.Empty() {
			if first := parts.Texts(); len(first) > 0 { // files and the words of hooks follow
				text = first[0].Text
			}
		}
		r.TypedBlocks(text.Texts(), nil, asTyped)
	case kind.Is("assistant"):
		r.Type = said.AssistantType
		parts.Items(func(part said.Raw) {
			if call := part.Field("functionCall"); call != nil {
				r.Used(call.Field("id"), call.Field("name"), call.Field("args"))
			} else if !part.Field("thought").IsTrue() {
				r.Message.Blocks = append(r.Message.Blocks, part.Texts()...)
			}
		})
	case kind.Is("tool_result"):
		parts.Items(func(part said.Raw) {
			if output := functionOutput(part); output != "" {
				r.Answered(part.Field("functionResponse").Field("id"), output)
			}
		})
	}
}
