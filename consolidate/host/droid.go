package host

import "dream-mcp/consolidate/transcript/said"

// Droid writes a file for each session into a folder for each directory. What the host puts in a person's place says
// for whom it is visible: errors, the output of hooks, reminders. A fork repeats messages under the same IDs.
var droid = Host{
	ID: "droid", Name: "Droid", Program: "droid", Tried: "0.225.2", Ask: "/dream",
	Settings: &Settings{
		Place: Place{Variable: "FACTORY_HOME_OVERRIDE"}, Files: []string{".factory/mcp.json"}, Project: ".factory/mcp.json", List: "mcpServers", Entry: typedEntry,
		Skill: ".factory/skills/dream/SKILL.md",
	},
	Hooks: &Hooks{
		Events: []string{"SessionStart", "Stop", "SessionEnd"}, Prompt: "UserPromptSubmit", Timeout: 5, Named: true, NoGuard: true,
		Place: Place{Variable: "FACTORY_HOME_OVERRIDE"}, File: ".factory/settings.json",
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "droid",
			Folders: []said.Folder{{Path: "sessions/*", Why: "Droid's, by the name of the directory: those that ran here", Files: []string{"*.jsonl"}}},
			Ours:    oursByName(0, dashed), ID: fileID, Line: droidLine, Version: []string{"version"},
		},
		Place: Place{Variable: "FACTORY_HOME_OVERRIDE", Below: ".factory", Home: ".factory"},
	}},
}

var _ = add(&droid)

func droidLine(line said.Raw, r *said.Record, h *said.HostState) {
	r.UUID, r.Timestamp = line.Field("id"), line.Field("timestamp")
	message := line.Field("message")
	content := message.Field("content")
	switch kind := line.Field("type"); {
	case kind.Is("session_start"):
		r.Type, r.UUID = said.MetaType, nil
		h.SetCWD(line.Field("cwd"))
	case !kind.Is("message"):
	case message.Field("role").Is("assistant"):
		r.Said(content)
	case message.Field("role").Is("user"):
		r.Type = said.MetaType
		results := false
		content.Items(func(b said.Raw) {
			if b.Field("type").Is("tool_result") {
				results = true
				r.Answered(b.Field("tool_use_id"), said.Joined(b.Field("content").Texts()))
			}
		})
		if !results && message.Field("visibility").Empty() {
			r.TypedBlocks(content.Texts("text"), nil, asTyped)
		}
	}
	r.CWD = said.Quoted(h.CWD)
}
