package host

import (
	"path"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// pi writes a file for each session into a folder for each directory: a head with the working directory, then a tree of
// entries. The files and skills that a person named are before the words; a template is in their place, and nothing
// says so. A fork repeats entries.
var pi = Host{
	ID: "pi", Name: "pi", Program: "pi", Tried: "1.5.2",
	Settings: &Settings{
		Place: Place{Variable: "PI_CODING_AGENT_DIR", Home: ".pi/agent"}, Files: []string{"mcp.json"}, Project: ".pi/mcp.json", List: "mcpServers", Entry: PlainEntry,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "pi",
			Folders: []said.Folder{{Path: "sessions/*", Why: "pi's, by the name of the directory: those that ran here", Files: []string{"*.jsonl"}}},
			Ours:    oursByName(0, piName), ID: piID, Line: piLine, Version: []string{"version"},
		},
		Place: Place{Variable: "PI_CODING_AGENT_DIR", Home: ".pi/agent"},
	}},
}

var _ = add(&pi)

// piName is the beginning of the name of a directory's folder.
func piName(dir string) string {
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimLeft(dir, "/"))
}

// piID is the UUID at the end of "2026-11-18T09-14-03-123Z_UUID".
func piID(file string) string {
	_, id, _ := strings.Cut(path.Base(said.Stem(file)), "_")
	if !said.IsUUID(id) {
		return ""
	}
	return id
}

func piLine(line said.Raw, r *said.Record, h *said.HostState) {
	r.Timestamp = line.Field("timestamp")
	message := line.Field("message")
	content := message.Field("content")
	if id := line.Field("id"); !id.Empty() { // short; copies have the same, and the same time
		r.UUID = said.Quoted(r.Timestamp.Text() + "/" + id.Text())
	}
	switch kind := line.Field("type"); {
	case kind.Is("session"):
		r.Type, r.UUID = said.MetaType, nil
		h.SetCWD(line.Field("cwd"))
	case !kind.Is("message"):
	case message.Field("role").Is("user"):
		r.TypedBlocks(content.Texts("text"), nil, piTyped)
	case message.Field("role").Is("assistant"):
		r.Type = said.AssistantType
		r.Message.Blocks = append(r.Message.Blocks, content.Texts("text")...)
		usedTools(r, content)
	case message.Field("role").Is("toolResult"):
		r.Answered(message.Field("toolCallId"), said.Joined(content.Texts()))
	}
	r.CWD = said.Quoted(h.CWD)
}

// piTyped returns what is after the files and skills at the beginning of a text.
func piTyped(text string) string {
	for _, name := range []string{"file", "skill"} {
		for strings.HasPrefix(text, "<"+name+" name=") {
			_, rest, ok := strings.Cut(text, "</"+name+">")
			if !ok {
				return ""
			}
			text = strings.TrimLeft(rest, "\n")
		}
	}
	return text
}
