package host

import (
	"path"
	"path/filepath"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// Kimi Code has a folder for each session: a file of facts, and for each agent a file that grows. What a person typed
// is in it three times, once as a prompt with its origin, which is read. A fork copies the folder.
var kimi = Host{
	ID: "kimi", Name: "Kimi Code", Program: "kimi", Tried: "2.1.0", Ask: "/skill:dream",
	Settings: &Settings{
		Place: Place{Variable: "KIMI_CODE_HOME", Home: ".kimi-code"}, Files: []string{"mcp.json"}, Project: ".kimi-code/mcp.json", List: "mcpServers", Entry: PlainEntry,
		Skill: "skills/dream/SKILL.md",
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "kimi",
			Folders: []said.Folder{{
				Path: "sessions", Why: "Kimi Code's, of all projects: those that ran here", Files: []string{"*/*/agents/main/wire.jsonl"},
			}},
			ID: kimiID, Beside: kimiBeside, Line: kimiLine, Version: []string{"protocol_version"},
		},
		Place: Place{Variable: "KIMI_CODE_HOME", Home: ".kimi-code"},
	}},
}

var _ = add(&kimi)

// kimiID is the UUID in the name of the session's folder.
func kimiID(file string) string {
	id := strings.TrimPrefix(path.Base(path.Dir(path.Dir(path.Dir(file)))), "session_")
	if !said.IsUUID(id) {
		return ""
	}
	return id
}

func kimiBeside(file string) string {
	return jsonIn(filepath.Join(filepath.Dir(file), "..", "..", "state.json"), maxProjects).Field("cwd").Text()
}

func kimiLine(line said.Raw, r *said.Record, h *said.HostState) {
	r.Timestamp, r.CWD = timeOf(line.Field("time")), said.Quoted(h.CWD)
	event := line.Field("event")
	switch kind := line.Field("type"); {
	case kind.Is("metadata"):
		r.Type = said.MetaType
	case kind.Is("turn.prompt"):
		r.Type, r.UUID = said.MetaType, line.Field("promptId")
		switch origin := line.Field("origin"); {
		case origin.Field("kind").Is("user"):
			r.TypedBlocks(line.Field("input").Texts("text"), nil, asTyped)
		case origin.Field("kind").Is("skill_activation") && origin.Field("trigger").Is("user-slash"):
			r.TypedBlocks(typedText(strings.TrimSpace("/skill:"+origin.Field("skillName").Text()+" "+origin.Field("skillArgs").Text())), nil, asTyped)
		}
	case !kind.Is("context.append_loop_event"):
	case event.Field("type").Is("content.part") && event.Field("part").Field("type").Is("text"):
		r.Type, r.Message.Blocks = said.AssistantType, append(r.Message.Blocks, event.Field("part").Field("text").Texts()...)
	case event.Field("type").Is("tool.call"):
		r.Used(event.Field("toolCallId"), event.Field("name"), event.Field("args"))
	case event.Field("type").Is("tool.result"):
		r.Answered(event.Field("toolCallId"), said.Joined(event.Field("result").Field("output").Texts()))
	}
}
