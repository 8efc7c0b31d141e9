package host

import (
	"path"
	"path/filepath"
	"strconv"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// Antigravity, its command line and its editor, has a folder for each conversation, and in it a transcript that grows.
// A database beside them has the directories of each, and the conversation that began it. What a person typed is in an
// element. A call has no ID: the steps after it answer its calls in their order. Versions before May 2026 encrypted
// theirs.
var antigravity = Host{
	ID: "antigravity", Name: "Antigravity", Program: "agy",
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "antigravity",
			Folders: []said.Folder{{
				Path: "antigravity*", Why: "Antigravity's, of all projects: those that ran here",
				Files: []string{"brain/*/.system_generated/logs/transcript_full.jsonl"},
			}, {
				Path: "antigravity*/conversations", Why: "Antigravity's, of all projects", Sealed: map[string]string{"*.pb": "it is encrypted"},
			}},
			ID: antigravityID, Beside: antigravityBeside, Line: antigravityLine,
		},
		Place: Place{Home: ".gemini"},
	}},
}

var _ = add(&antigravity)

// antigravityID is the name of the conversation's folder.
func antigravityID(file string) string { return folderID(path.Dir(path.Dir(file))) }

// antigravityBeside returns the first directory of a conversation, or nowhere for one that another conversation began.
func antigravityBeside(file string) (cwd string) {
	home, id := filepath.Join(filepath.Dir(file), "..", "..", "..", ".."), antigravityID(filepath.ToSlash(file))
	summaries := database.File{Path: filepath.Join(home, "conversation_summaries.db"), Open: said.OpenFile}
	_ = summaries.View(func(v database.View) error { // without it the other file may know
		return v.Rows("conversation_summaries", "conversation_id", id, []string{"workspace_uris", "parent_conversation_id"}, func(row database.Row) error {
			if uris := said.Raw(row.Text(0)); row.Text(1) != "" {
				cwd = nowhere
			} else if uris.IsWhole() {
				uris.Items(func(uri said.Raw) {
					if cwd == "" {
						cwd = pathOf(uri.Text())
					}
				})
			}
			return nil
		})
	})
	if cwd == "" {
		jsonIn(filepath.Join(home, "cache", "last_conversations.json"), maxProjects).Each(func(dir string, of said.Raw) {
			if of.Is(id) {
				cwd = dir
			}
		})
	}
	return cwd
}

func antigravityLine(line said.Raw, r *said.Record, h *said.HostState) {
	r.Timestamp, r.CWD = line.Field("created_at"), said.Quoted(h.CWD)
	step, _ := strconv.Atoi(string(line.Field("step_index")))
	content := line.Field("content")
	switch kind := line.Field("type"); {
	case kind.Is("USER_INPUT"):
		r.Type = said.MetaType
		if typed, ok := element(content.Text(), "USER_REQUEST"); ok && line.Field("source").Is("USER_EXPLICIT") {
			r.TypedBlocks(typedText(typed), nil, asTyped)
		}
	case kind.Is("PLANNER_RESPONSE"):
		r.Type, r.Message.Blocks = said.AssistantType, content.Texts()
		line.Field("tool_calls").Items(func(call said.Raw) {
			step++
			r.Used(said.Quoted(strconv.Itoa(step)), antigravityTool(call), call.Field("args"))
		})
	case kind.Is("SYSTEM_MESSAGE"), kind.Is("CHECKPOINT"), kind.Is("CONVERSATION_HISTORY"):
		r.Type = said.MetaType
	default:
		r.Answered(said.Quoted(strconv.Itoa(step)), content.Text())
	}
}

// antigravityTool returns the name of a tool, or of a server's tool that is called by another one.
func antigravityTool(call said.Raw) said.Raw {
	if tool := call.Field("args").Field("ToolName"); !tool.Empty() {
		return said.Quoted(call.Field("args").Field("ServerName").Text() + "_" + tool.Text())
	}
	return call.Field("name")
}
